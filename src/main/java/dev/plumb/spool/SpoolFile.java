package dev.plumb.spool;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of the spool: {@code SOURCE-NUMBER.plumb}, or {@code SOURCE-NUMBER.TRIES.plumb} once a
 * reader has tried to read it.
 *
 * @param source the run of the process that wrote it
 * @param number increases within a source
 * @param tries how often a reader has tried to read it
 */
record SpoolFile(Path path, String source, long number, int tries) {
  static final String EXTENSION = ".plumb";

  private static final Pattern NAME =
      Pattern.compile("([0-9a-f]+)-(\\d{1,18})(?:\\.(\\d))?\\.plumb");

  static Optional<SpoolFile> of(Path path) {
    Matcher name = NAME.matcher(path.getFileName().toString());
    return name.matches()
        ? Optional.of(
            new SpoolFile(
                path,
                name.group(1),
                Long.parseLong(name.group(2)),
                name.group(3) == null ? 0 : Integer.parseInt(name.group(3))))
        : Optional.empty();
  }

  /** Its path while a reader tries once more. */
  Path tried() {
    return path.resolveSibling("%s-%012d.%d%s".formatted(source, number, tries + 1, EXTENSION));
  }
}
