package dev.plumb.symbols.demangle;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The tools that names are held against: nm, c++filt, rustfilt. */
final class Filter {
  private Filter() {}

  static Optional<Path> find(String tool) {
    return Stream.of(
            System.getProperty("user.home") + "/.cache/plumb-tools/bin",
            System.getProperty("user.home") + "/.cargo/bin",
            "/usr/local/bin",
            "/usr/bin")
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The names, one a line, as the tool prints them. */
  static List<String> through(String tool, List<String> names) throws IOException {
    Path path = find(tool).orElseThrow(() -> new AssertionError(tool + " is missing: see ./check"));
    Path input = Files.createTempFile("plumb-names", ".txt");
    try {
      Files.write(input, names);
      String output =
          Fixtures.run("sh", "-c", "exec \"$0\" < \"$1\"", path.toString(), input.toString());
      List<String> lines = output.lines().toList();
      if (lines.size() != names.size()) {
        throw new AssertionError(tool + " made " + lines.size() + " of " + names.size());
      }
      return lines;
    } finally {
      Files.delete(input);
    }
  }

  /** The mangled names in a file's symbol tables, sorted. */
  static List<String> namesIn(Path file) {
    TreeSet<String> names = new TreeSet<>();
    for (String table : List.of("--defined-only", "-D")) {
      Fixtures.run("sh", "-c", "nm -j \"$0\" \"$1\" 2>/dev/null || true", table, file.toString())
          .lines()
          .map(n -> n.indexOf('@') > 0 ? n.substring(0, n.indexOf('@')) : n)
          .filter(n -> n.startsWith("_Z") || n.startsWith("_R"))
          .forEach(names::add);
    }
    return new ArrayList<>(names);
  }

  /** Every so many names, so that at most {@code wanted} are left. */
  static List<String> sample(List<String> names, int wanted) {
    int step = Math.max(1, (names.size() + wanted - 1) / wanted);
    List<String> result = new ArrayList<>();
    for (int i = 0; i < names.size(); i += step) {
      result.add(names.get(i));
    }
    return result;
  }
}
