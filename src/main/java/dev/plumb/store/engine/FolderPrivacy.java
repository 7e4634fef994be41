package dev.plumb.store.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What programs do is nobody else's business: a store's files are for its owner alone. */
final class FolderPrivacy {
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  /** Of files beside the database and the segments, which are set aside or begun. */
  private static final int DEPTH = 3;

  private FolderPrivacy() {}

  /**
   * Takes the files that are there away from others. A folder that was made by somebody else stays
   * as it is: empty, or what to say of it.
   */
  static Optional<String> take(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder, DEPTH)) {
      all = files.filter(file -> !file.equals(folder)).toList();
    }
    for (Path file : all) {
      close(file);
    }
    Set<PosixFilePermission> mode = Files.getPosixFilePermissions(folder);
    return mode.stream().noneMatch(OTHERS::contains)
        ? Optional.empty()
        : Optional.of(
            "others may enter %s (%s): what is in it is for its owner, but chmod 700 %s is safer"
                .formatted(folder, PosixFilePermissions.toString(mode), folder));
  }

  private static void close(Path file) throws IOException {
    if (Files.isSymbolicLink(file) || !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Set<PosixFilePermission> mode = new HashSet<>(Files.getPosixFilePermissions(file));
    if (mode.removeAll(OTHERS)) {
      Files.setPosixFilePermissions(file, mode);
    }
  }
}
