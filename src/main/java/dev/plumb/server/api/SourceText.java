package dev.plumb.server.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads a source file of this machine.
 *
 * <p>The file's name comes from debug information, which anybody may have written: a program could
 * claim that its source is {@code /etc/shadow}. So a file is shown only if everybody may read it
 * and enter its folders, and if it has the extension of a source file.
 */
final class SourceText {
  static final int MOST_LINES = 50_000;
  private static final long MOST_BYTES = 4 << 20;

  private static final Set<String> ENDINGS =
      Set.of(
          "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "ipp", "inc", "s", "asm", "rs",
          "go", "java", "kt", "scala", "groovy", "clj", "py", "pyx", "rb", "js", "mjs", "ts", "cs",
          "swift", "zig", "d", "f", "f90", "m", "mm", "ml", "hs", "lua", "php", "pl", "tcc", "y",
          "l");

  private SourceText() {}

  /**
   * @param why the reason why there is no text; empty if there is
   */
  record Answer(List<String> lines, String why) {
    static Answer no(String why) {
      return new Answer(List.of(), why);
    }
  }

  static Answer read(String name) {
    try {
      Path path = Path.of(name);
      if (!path.isAbsolute()) {
        return Answer.no("the debug information gives no whole path");
      }
      if (!Files.exists(path)) {
        return Answer.no("the file is not on this machine");
      }
      Path real = path.toRealPath();
      if (!isSource(real) || !Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)) {
        return Answer.no("it is not named like a source file");
      }
      if (!isOpenToAll(real)) {
        return Answer.no("not everybody may read it; chmod o+r shows it here");
      }
      if (Files.size(real) > MOST_BYTES) {
        return Answer.no("it is larger than 4 MB");
      }
      String text = new String(Files.readAllBytes(real), StandardCharsets.UTF_8);
      return new Answer(text.lines().limit(MOST_LINES).toList(), "");
    } catch (InvalidPathException | IOException | SecurityException e) {
      return Answer.no("it cannot be read");
    }
  }

  private static boolean isSource(Path path) {
    String name = path.getFileName().toString();
    return ENDINGS.contains(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
  }

  private static boolean isOpenToAll(Path file) throws IOException {
    if (!Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
      return false;
    }
    for (Path folder = file.getParent(); folder != null; folder = folder.getParent()) {
      if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        return false;
      }
    }
    return true;
  }
}
