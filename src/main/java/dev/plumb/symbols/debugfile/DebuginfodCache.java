package dev.plumb.symbols.debugfile;

import dev.plumb.linux.RootFolder;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The folder in which debuginfod clients keep files: {@code BUILDID/debuginfo}, an empty file if no
 * server has it. Files are renamed when they are complete, so that others never see a part of one.
 */
final class DebuginfodCache {
  private static final String NAME = "debuginfo";

  /** How long to assume that no server has a file; other clients use the same time. */
  private static final Duration MISSING = Duration.ofMinutes(10);

  /** Files not used for so long are deleted; other clients use the same time. */
  private static final Duration UNUSED = Duration.ofDays(7);

  /** How many folders to check for unused files. */
  private static final int MAX_CLEANED = 10_000;

  private final Path folder;

  DebuginfodCache(Path folder) {
    this.folder = folder;
  }

  /** A file kept before. Others may have written it: the caller has to check it. */
  Optional<DebugFile> find(String buildId) {
    if (isEmpty(file(buildId))) {
      return Optional.empty();
    }
    try (RootFolder root = RootFolder.open(folder.toString()).orElse(null)) {
      return root == null
          ? Optional.empty()
          : root.openFile(buildId + "/" + NAME)
              .map(fd -> new DebugFile(file(buildId).toString(), fd));
    }
  }

  /** Whether no server had it a short time ago. */
  boolean isKnownMissing(String buildId) {
    try {
      Path file = file(buildId);
      Instant written = Files.getLastModifiedTime(file).toInstant();
      return isEmpty(file) && written.isAfter(Instant.now().minus(MISSING));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isEmpty(Path file) {
    try {
      return Files.size(file) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** A new file to write to, in the folder of a build id. */
  Path begin(String buildId) throws IOException {
    Files.createDirectories(folder);
    Path own = folder.resolve(buildId);
    try {
      Files.createDirectory(
          own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(own)) {
        throw e;
      }
    }
    return Files.createTempFile(own, NAME + ".", ".part");
  }

  /** Removes what was begun and not kept. */
  void end(Path begun) throws IOException {
    Files.deleteIfExists(begun);
    try {
      Files.deleteIfExists(begun.getParent());
    } catch (DirectoryNotEmptyException e) {
      return; // something was kept
    }
  }

  /** Gives a complete file its final name. */
  void keep(Path written, String buildId) throws IOException {
    Files.move(
        written,
        file(buildId),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** Notes that no server has it. */
  void keepMissing(String buildId) throws IOException {
    keep(begin(buildId), buildId);
  }

  /** Removes what nobody used for a week. What cannot be removed stays. */
  void clean() {
    Instant oldest = Instant.now().minus(UNUSED);
    int looked = 0;
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(folder)) {
      for (Path own : folders) {
        if (looked++ == MAX_CLEANED) {
          return;
        }
        if (own.getFileName().toString().matches("[0-9a-f]{4,128}")) {
          clean(own, oldest);
        }
      }
    } catch (IOException e) {
      return; // not there yet, or somebody else cleans
    }
  }

  private static void clean(Path own, Instant oldest) throws IOException {
    boolean empty = true;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(own)) {
      for (Path file : files) {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        boolean unused =
            attributes.lastAccessTime().toInstant().isBefore(oldest)
                && attributes.lastModifiedTime().toInstant().isBefore(oldest);
        if (unused && attributes.isRegularFile()) {
          Files.deleteIfExists(file);
        } else {
          empty = false;
        }
      }
    }
    if (empty) {
      Files.deleteIfExists(own);
    }
  }

  private Path file(String buildId) {
    return folder.resolve(buildId).resolve(NAME);
  }
}
