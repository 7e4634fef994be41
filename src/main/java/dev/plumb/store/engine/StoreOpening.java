package dev.plumb.store.engine;

import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.database.StoreLimits;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.upkeep.CrashRepair;
import dev.plumb.store.upkeep.DatabaseRescue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Opens a store's folder, whatever a crash or another version left there: the result is a store
 * that works, or a message that says what to do. Files that cannot be read are renamed, never
 * deleted.
 */
final class StoreOpening {
  /** Exists while a process has the store open; has its pid and, if it serves, its address. */
  private static final String RUNNING = "running";

  /** A new database that is being made from a damaged one. */
  private static final String RESCUED = Database.FILE + ".rescued";

  /** Folders that this process has open: DuckDB would share a database between two stores. */
  private static final Set<Path> OPEN = new HashSet<>();

  private final StoreOptions options;
  private final Path folder;
  private final StoreLimits limits;
  private final List<String> notices = new ArrayList<>();
  private boolean logSetAside;

  private StoreOpening(StoreOptions options) throws IOException {
    this.options = options;
    this.limits = StoreLimits.of(options);
    makeFolder(options.folder());
    Files.createDirectories(options.folder().resolve("segments"));
    this.folder = options.folder().toRealPath();
    FolderPrivacy.take(folder).ifPresent(notices::add);
  }

  /** Only its owner may enter it: profiles say what programs do. */
  private static void makeFolder(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      Files.createDirectories(folder.toAbsolutePath().getParent());
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  /**
   * An open folder.
   *
   * @param notices what was found and repaired
   */
  record Opened(Path folder, Database database, StoreLimits limits, List<String> notices) {}

  static Opened open(StoreOptions options) {
    try {
      StoreOpening opening = new StoreOpening(options);
      synchronized (OPEN) {
        if (!OPEN.add(opening.folder)) {
          throw new StoreException(
              "the store in %s is in use by this process".formatted(opening.folder));
        }
      }
      boolean done = false;
      try {
        Opened opened = opening.open();
        done = true;
        return opened;
      } finally {
        if (!done) {
          forget(opening.folder);
        }
      }
    } catch (AccessDeniedException e) {
      throw DatabaseFailure.denied(e, options.folder());
    } catch (FileAlreadyExistsException e) {
      throw new StoreException(
          "%s is a file; a store needs a folder (--store)".formatted(e.getFile()), e);
    } catch (FileSystemException e) {
      String why = String.valueOf(e.getReason());
      throw why.contains("Read-only")
          ? DatabaseFailure.denied(e, options.folder())
          : cannotOpen(options, why, e);
    } catch (IOException e) {
      throw cannotOpen(options, DatabaseFailure.firstLine(e), e);
    } catch (SQLException e) {
      throw cannotOpen(options, DatabaseFailure.firstLine(e), e);
    }
  }

  /** Opens a folder for reading, as other processes may at the same time; repairs nothing. */
  static Opened openToRead(Path given) {
    Path file = given.resolve(Database.FILE);
    if (!Files.isReadable(file)) {
      throw new StoreException(
          Files.exists(file)
              ? "the store in %s cannot be read: permission denied".formatted(given)
              : "there is no store in %s; `plumb serve` makes one, --store names another"
                  .formatted(given));
    }
    StoreOptions options = StoreOptions.of(given);
    StoreLimits limits = StoreLimits.of(options);
    try {
      Path folder = given.toRealPath();
      Database database = Database.openToRead(StoreOptions.of(folder));
      refuseOtherVersions(database, folder);
      return new Opened(folder, database, limits, List.of());
    } catch (SQLException e) {
      if (DatabaseFailure.isLocked(e)) {
        throw DatabaseFailure.inUse(e, given, address(given));
      }
      throw cannotOpen(options, DatabaseFailure.firstLine(e), e);
    } catch (IOException e) {
      throw cannotOpen(options, DatabaseFailure.firstLine(e), e);
    }
  }

  private static void refuseOtherVersions(Database database, Path folder) throws SQLException {
    long version = Database.number(database.writer(), "SELECT version FROM meta");
    if (version != StoreSchema.VERSION) {
      database.close();
      throw new StoreException(
          version > StoreSchema.VERSION
              ? "a newer Plumb wrote the store in %s; use that one".formatted(folder)
              : "an older Plumb wrote the store in %s; `plumb serve` brings it up to date"
                  .formatted(folder));
    }
  }

  private static StoreException cannotOpen(StoreOptions options, String why, Exception e) {
    return new StoreException(
        "the store in %s cannot be opened: %s; choose another folder (--store)"
            .formatted(options.folder(), why),
        e);
  }

  /** Allows this process to open the folder again. */
  static void forget(Path folder) {
    synchronized (OPEN) {
      OPEN.remove(folder);
    }
  }

  private Opened open() throws SQLException, IOException {
    Database database = openDatabase();
    boolean done = false;
    try {
      new CrashRepair(database, new SegmentFolder(folder), logSetAside, notices).run();
      if (Files.exists(folder.resolve(RUNNING))) {
        notices.add(
            "the last run ended without closing the store; all but its last second is there");
      }
      announce(folder, "");
      done = true;
      return new Opened(folder, database, limits, List.copyOf(notices));
    } finally {
      if (!done) {
        database.close();
      }
    }
  }

  private Database openDatabase() throws SQLException, IOException {
    Path rescued = folder.resolve(RESCUED);
    if (Files.exists(folder.resolve(Database.FILE))) {
      Files.deleteIfExists(rescued); // unfinished
    } else if (Files.exists(rescued)) {
      Files.move(rescued, folder.resolve(Database.FILE));
    }
    SQLException first;
    try {
      return openWhole();
    } catch (SQLException e) {
      first = e;
    }
    refuse(first);
    Path log = folder.resolve(Database.FILE + ".wal");
    if (Files.exists(log)) {
      logSetAside = true;
      notices.add(
          "the log of the last seconds could not be read (%s) and was set aside as %s"
              .formatted(DatabaseFailure.firstLine(first), SegmentFolder.setAside(log)));
      try {
        return openWhole();
      } catch (SQLException e) {
        refuse(e);
        first = e;
      }
    }
    return rescue(first);
  }

  /** Opens the database; fails unless all of it can be read. */
  private Database openWhole() throws SQLException, IOException {
    Database database = Database.open(real(), limits);
    boolean whole = false;
    try {
      database.readAll();
      if (!database.isMade() && !new SegmentFolder(folder).names().all().isEmpty()) {
        throw new SQLException("there are segments, but the database is empty");
      }
      whole = true;
      return database;
    } finally {
      if (!whole) {
        closeQuietly(database);
      }
    }
  }

  private static void closeQuietly(Database database) {
    try {
      database.close();
    } catch (SQLException e) {
      // It could not be read anyway.
    }
  }

  private StoreOptions real() {
    return new StoreOptions(folder, options.diskBytes(), options.maxAge(), options.memoryBytes());
  }

  /** Makes a new database from what can be read; the damaged one is kept under another name. */
  private Database rescue(SQLException why) throws SQLException, IOException {
    Path file = folder.resolve(Database.FILE);
    Path rescued = folder.resolve(RESCUED);
    Files.deleteIfExists(rescued);
    DatabaseRescue rescue;
    Database fresh = Database.open(real(), limits, RESCUED);
    try {
      rescue = new DatabaseRescue(fresh, new SegmentFolder(folder));
      rescue.run(Optional.of(file).filter(Files::exists));
    } finally {
      closeQuietly(fresh);
    }
    Optional<Path> aside = DatabaseRescue.swap(file, rescued);
    logSetAside = true;
    notices.add(
        "the database could not be read (%s)%s; %d segments were found again from their own files%s"
            .formatted(
                DatabaseFailure.firstLine(why),
                aside.map(path -> " and was set aside as " + path).orElse(""),
                rescue.found(),
                rescue.lost().isEmpty() ? "" : "; lost: " + String.join(", ", rescue.lost())));
    return Database.open(real(), limits);
  }

  /** Rethrows failures that are not the file's fault. */
  private void refuse(SQLException e) {
    if (DatabaseFailure.isLocked(e)) {
      throw DatabaseFailure.inUse(e, folder, address(folder));
    }
    if (DatabaseFailure.isDenied(e)) {
      throw DatabaseFailure.denied(e, folder);
    }
    if (DatabaseFailure.isDiskFull(e)) {
      throw DatabaseFailure.writing(e);
    }
    if (DatabaseFailure.isNewer(e)) {
      throw new StoreException(
          "a newer version of DuckDB wrote the store in %s; use the Plumb that has it, or another folder (--store)"
              .formatted(folder),
          e);
    }
  }

  /** Notes in the folder which process has it open, and where that can be queried. */
  static void announce(Path folder, String address) throws IOException {
    Files.writeString(
        folder.resolve(RUNNING), ProcessHandle.current().pid() + "\n" + address + "\n");
  }

  static void closed(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(RUNNING));
    forget(folder);
  }

  /** The address of the process that has the store open; empty if unknown. */
  private static String address(Path folder) {
    try {
      List<String> lines = Files.readAllLines(folder.resolve(RUNNING), StandardCharsets.UTF_8);
      return lines.size() > 1 ? lines.get(1) : "";
    } catch (IOException e) {
      return "";
    }
  }
}
