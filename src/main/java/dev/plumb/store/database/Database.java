package dev.plumb.store.database;

import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** A DuckDB database: one connection that writes, any number that read. */
public final class Database implements AutoCloseable {
  /** What a transaction does. */
  @FunctionalInterface
  public interface Work<T> {
    T run(DuckDBConnection connection) throws SQLException;
  }

  public static final String FILE = "plumb.duckdb";

  private static final int IDLE_READERS = 8;

  /** A command that runs a query and exits need not be small. */
  private static final long READING_BYTES = 1L << 30;

  /** Less than the database uses at rest, so that it frees all it can. */
  private static final long LEAST_BYTES = 1 << 20;

  private final String path;
  private final Optional<Path> segmentFolder;
  private final long memoryBytes;
  private final Properties settings;
  private final Deque<DuckDBConnection> idle = new ArrayDeque<>();
  private final ReentrantLock sorting = new ReentrantLock();
  private final Object memory = new Object();
  private DuckDBConnection writer;
  private boolean closed;

  /** Whether a transaction is open; guarded by {@link #memory}, as is the next field. */
  private boolean writing;

  /** Whether the memory limit is lowered because the database is sorting. */
  private boolean sparing;

  private Database(Optional<Path> folder, String file, long memoryBytes, Properties settings)
      throws SQLException {
    this.path = folder.map(at -> at.resolve(file).toString()).orElse(":memory:");
    this.segmentFolder = folder.map(at -> at.resolve("segments"));
    this.memoryBytes = memoryBytes;
    this.settings = settings;
    this.writer = connect();
  }

  private DuckDBConnection connect() throws SQLException {
    DuckDBConnection connection;
    try {
      connection = DuckDBConnection.newConnection("jdbc:duckdb:" + path, false, "", settings);
    } catch (LinkageError e) {
      throw new StoreException(
          "DuckDB's library cannot be loaded; it is unpacked into %s, which must have 60 MB free and"
                  .formatted(System.getProperty("java.io.tmpdir"))
              + " allow programs: JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=DIR names another folder",
          e);
    } finally {
      NativeLibrary.unlink();
    }
    if (!isLocked(connection)) {
      execute(connection, "SET GLOBAL parquet_metadata_cache = true");
      lockDown(connection);
    }
    return connection;
  }

  /** Two stores that a process opens on one folder share a database and its settings. */
  private static boolean isLocked(DuckDBConnection connection) throws SQLException {
    return number(connection, "SELECT CAST(current_setting('lock_configuration') AS INTEGER)") != 0;
  }

  /**
   * A user's query runs with our rights: it may read no file except the store's segments, and
   * change no setting. DuckDB resolves symbolic links and {@code ..} before it compares paths.
   */
  private void lockDown(DuckDBConnection connection) throws SQLException {
    String segments = segmentFolder.map(folder -> SqlText.quoted(folder + "/")).orElse("");
    execute(connection, "SET GLOBAL allowed_directories = [" + segments + "]");
    execute(connection, "SET GLOBAL enable_external_access = false");
    execute(connection, "SET GLOBAL allowed_configs = ['memory_limit', 'threads']");
    execute(connection, "SET GLOBAL lock_configuration = true");
  }

  /** Opens or creates the database in a folder. */
  public static Database open(StoreOptions options, StoreLimits limits) throws SQLException {
    return open(options, limits, FILE);
  }

  public static Database open(StoreOptions options, StoreLimits limits, String file)
      throws SQLException {
    Properties settings = settings(options.memoryBytes());
    settings.setProperty("temp_directory", options.folder().resolve("temp").toString());
    settings.setProperty(
        "max_temp_directory_size", Math.max(64, limits.diskBytes() / 20 >> 20) + "MB");
    settings.setProperty("checkpoint_threshold", limits.logBytes() / 1000 + "KB");
    return new Database(Optional.of(options.folder()), file, options.memoryBytes(), settings);
  }

  /** Reads every table completely, because a damaged block fails only when it is read. */
  public void readAll() throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = writer().createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()")) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    for (String table : tables) {
      try {
        execute(writer(), "SELECT max(hash(t)) FROM %s t".formatted(table));
      } catch (SQLException e) {
        if (!DatabaseFailure.isMemory(e)) {
          throw e;
        }
      }
    }
  }

  /** Whether it has tables. */
  public boolean isMade() throws SQLException {
    return number(writer(), "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'meta'") > 0;
  }

  /** Opens an existing database without changing it. */
  public static Database openToRead(StoreOptions options) throws SQLException {
    Properties settings = settings(READING_BYTES);
    settings.setProperty("access_mode", "READ_ONLY");
    settings.setProperty("temp_directory", "");
    return new Database(Optional.of(options.folder()), FILE, READING_BYTES, settings);
  }

  /** A database that is gone when it is closed. */
  public static Database inMemory(long bytes) throws SQLException {
    Properties settings = settings(bytes);
    settings.setProperty("temp_directory", "");
    return new Database(Optional.empty(), FILE, bytes, settings);
  }

  private static Properties settings(long memoryBytes) {
    Properties settings = new Properties();
    // Return freed memory to the machine soon: we are a guest here.
    settings.setProperty("allocator_flush_threshold", "4MB");
    settings.setProperty("allocator_bulk_deallocation_flush_threshold", "4MB");
    settings.setProperty(
        "allocator_background_threads", "true"); // otherwise free memory stays ours at rest
    settings.setProperty("memory_limit", megabytes(memoryBytes));
    settings.setProperty("threads", Integer.toString(threads()));
    settings.setProperty("preserve_insertion_order", "false");
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    return settings;
  }

  /** Each thread needs memory to read: with more of them, queries would not fit. */
  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 2);
  }

  public synchronized DuckDBConnection writer() {
    return writer;
  }

  /** Runs a transaction on the writing connection; the caller must be its only user. */
  public <T> T transaction(Work<T> work) throws SQLException {
    DuckDBConnection connection = writer();
    beginWriting(connection);
    boolean done = false;
    try {
      // Explicitly: the driver begins one with the first statement only, not with an appender.
      execute(connection, "BEGIN TRANSACTION");
      T result = work.run(connection);
      execute(connection, "COMMIT");
      done = true;
      return result;
    } finally {
      if (!done) {
        rollBack(connection);
      }
      synchronized (memory) {
        writing = false;
      }
    }
  }

  /** A failure to roll back is ignored: the one that led here says more. */
  private static void rollBack(DuckDBConnection connection) {
    try {
      execute(connection, "ROLLBACK");
    } catch (SQLException e) {
      // The transaction is already gone.
    }
  }

  /** Appending without enough memory corrupts the table: the limit is raised before. */
  private void beginWriting(DuckDBConnection connection) throws SQLException {
    synchronized (memory) {
      giveAll(connection);
      writing = true;
    }
  }

  /** After some failures DuckDB refuses everything until it is reopened. */
  public synchronized Optional<SQLException> reopenIfDead(SQLException failure) {
    if (!DatabaseFailure.isDead(failure) || closed) {
      return Optional.empty();
    }
    try {
      closeAll();
    } catch (SQLException e) {
      // It was already dead.
    }
    try {
      writer = connect();
      return Optional.empty();
    } catch (SQLException e) {
      return Optional.of(e);
    }
  }

  public static void execute(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Writes the result of a query. This is not urgent: it uses one thread, because each sorts and
   * compresses in memory of its own, and two thirds of the memory; the rest spills to disk.
   */
  public void writeParquet(
      DuckDBConnection connection, String select, Path to, ParquetLayout layout)
      throws SQLException {
    String copy =
        "COPY (%s) TO %s (%s)".formatted(select, SqlText.quoted(to.toString()), layout.options());
    sorting.lock();
    try {
      copySparingly(connection, copy);
    } finally {
      sorting.unlock();
    }
  }

  private void copySparingly(DuckDBConnection connection, String copy) throws SQLException {
    execute(connection, "SET GLOBAL threads = 1");
    try {
      spare(connection);
      execute(connection, copy);
    } catch (SQLException e) {
      if (!DatabaseFailure.isMemory(e)) {
        throw e;
      }
      giveAll(connection); // that was too little, or others use too much
      execute(connection, copy);
    } finally {
      giveAll(connection);
      execute(connection, "SET GLOBAL threads = " + threads());
    }
  }

  public boolean isSorting() {
    return sorting.isLocked();
  }

  /** Runs something while no segment is being written. */
  public void betweenSegments(Runnable work) {
    sorting.lock();
    try {
      work.run();
    } finally {
      sorting.unlock();
    }
  }

  /** Lowers the memory limit until rows are added; not while they are. */
  private void spare(DuckDBConnection connection) throws SQLException {
    synchronized (memory) {
      if (!writing) {
        limit(connection, memoryBytes / 3 * 2);
        sparing = true;
      }
    }
  }

  private void giveAll(DuckDBConnection connection) throws SQLException {
    synchronized (memory) {
      if (sparing) {
        limit(connection, memoryBytes);
        sparing = false;
      }
    }
  }

  /**
   * Frees cached blocks: DuckDB drops them only when it reaches its limit, and returns memory to
   * the machine when the limit is lowered. Not while something is written.
   */
  public void giveBackMemory() throws SQLException {
    if (!sorting.tryLock()) {
      return;
    }
    try {
      synchronized (memory) {
        if (!writing) {
          dropAll();
        }
      }
    } finally {
      sorting.unlock();
    }
  }

  private void dropAll() throws SQLException {
    DuckDBConnection connection = borrow();
    boolean usable = false;
    try {
      connection.setAutoCommit(true);
      limit(connection, LEAST_BYTES);
      usable = true;
    } catch (SQLException e) {
      usable = DatabaseFailure.isMemory(e); // more is in use; the rest was dropped
    } finally {
      limit(connection, memoryBytes);
      giveBack(connection, usable);
    }
  }

  private static void limit(DuckDBConnection connection, long bytes) throws SQLException {
    execute(connection, "SET GLOBAL memory_limit = '%s'".formatted(megabytes(bytes)));
  }

  private static String megabytes(long bytes) {
    return (bytes >> 20) + "MB";
  }

  public static long number(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? result.getLong(1) : 0;
    }
  }

  public static DuckDBAppender appender(DuckDBConnection connection, String table)
      throws SQLException {
    return connection.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table);
  }

  /** A connection for one reader, who must give it back. */
  public synchronized DuckDBConnection borrow() throws SQLException {
    if (closed) {
      throw new StoreException("the store is closed");
    }
    DuckDBConnection reader = idle.poll();
    return reader == null ? writer.duplicate() : reader;
  }

  public void giveBack(DuckDBConnection reader, boolean usable) throws SQLException {
    synchronized (this) {
      if (usable && !closed && idle.size() < IDLE_READERS) {
        idle.push(reader);
        return;
      }
    }
    reader.close();
  }

  @Override
  public synchronized void close() throws SQLException {
    if (!closed) {
      closed = true;
      closeAll();
    }
  }

  private void closeAll() throws SQLException {
    for (DuckDBConnection reader : idle) {
      reader.close();
    }
    idle.clear();
    writer.close();
  }
}
