package dev.plumb.cli.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that hold a token or a password, which nobody but their owner may read. */
public final class Secrets {
  static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private Secrets() {}

  public static boolean isOpenToOthers(Path file) throws IOException {
    return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains);
  }

  /** The text of such a file; fails if others may read or change it. */
  static String read(Path file, String what) {
    try {
      if (isOpenToOthers(file)) {
        throw new IllegalArgumentException(
            "others may read the %s file %s (%s); run chmod 600 %s"
                .formatted(
                    what,
                    file,
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                    file));
      }
      String text = Files.readString(file).strip();
      if (text.isEmpty()) {
        throw new IllegalArgumentException("the %s file %s is empty".formatted(what, file));
      }
      return text;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot read the %s file %s: %s".formatted(what, file, e.getMessage()), e);
    }
  }
}
