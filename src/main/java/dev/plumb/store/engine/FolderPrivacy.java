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

/** Makes a store's files accessible to their owner alone: profiles say what programs do. */
final class FolderPrivacy {
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  /** Deep enough for all files of a store. */
  private static final int DEPTH = 3;

  private FolderPrivacy() {}

  /**
   * Removes others' permissions on existing files. The folder itself stays as its maker left it;
   * returns a notice if others may enter it.
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
            "others may enter %s (%s); its files are accessible to their owner only, but chmod 700 %s is safer"
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
