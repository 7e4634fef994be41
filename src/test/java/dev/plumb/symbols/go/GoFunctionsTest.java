package dev.plumb.symbols.go;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.LlvmSymbolizer;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Compared with Go's runtime, asked in the program itself, and with its debug information. */
class GoFunctionsTest {
  private static final Path SOURCE = Path.of("src/test/targets/lines.go").toAbsolutePath();
  private static final int ADDRESSES = 1000;
  private static final String UNKNOWN = " :0";

  @Test
  void agreesWithTheRuntimeOfAStrippedProgram() throws IOException {
    Path program = build("go-stripped", "-ldflags=-s -w");
    List<Long> addresses = addresses(program);
    Path input = Fixtures.file("go-addresses");
    Files.write(input, addresses.stream().map(a -> "0x" + Long.toHexString(a)).toList());
    String output = Fixtures.run("sh", "-c", program + " frames < " + input);
    List<String> ours = new ArrayList<>();
    int inlined = 0;
    for (List<SourceFrame> frames : ask(program, addresses)) {
      ours.add(frames.isEmpty() ? UNKNOWN : text(frames.getFirst()));
      inlined += frames.size() > 1 ? 1 : 0;
    }
    // Between functions it has a name, but neither file nor line.
    List<String> theirs = output.lines().map(l -> l.endsWith(" ?:0") ? UNKNOWN : l).toList();
    assertThat(theirs).hasSize(ADDRESSES);
    List<List<SourceFrame>> next = ask(program, addresses.stream().map(a -> a + 1).toList());
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < ADDRESSES; i++) {
      // It was asked for the address behind: the last byte before a function counts as its first.
      String behind = next.get(i).isEmpty() ? UNKNOWN : text(next.get(i).getFirst());
      boolean border = ours.get(i).equals(UNKNOWN) && theirs.get(i).equals(behind);
      if (!border && !ours.get(i).equals(theirs.get(i))) {
        differences.add("%x %s | %s".formatted(addresses.get(i), ours.get(i), theirs.get(i)));
      }
    }
    assertThat(differences).isEmpty();
    assertThat(ours.stream().filter(UNKNOWN::equals).count()).isLessThan(ADDRESSES / 10);
    assertThat(inlined).isGreaterThan(ADDRESSES / 10);
  }

  @Test
  void agreesWithDebugInformation() throws IOException {
    compare(build("go-plain"), build("go-plain"));
  }

  @Test
  void knowsProgramsThatAreMoved() throws IOException {
    Path program = build("go-pie", "-buildmode=pie");
    compare(program, program);
    Path linked = build("go-pie-gcc", "-buildmode=pie", "-ldflags=-linkmode=external");
    compare(linked, linked);
  }

  /** Without its sections the table is found by its first bytes. */
  @Test
  void knowsProgramsWithoutSections() throws IOException {
    for (String mode : List.of("exe", "pie")) {
      Path program = build("go-sections-" + mode, "-buildmode=" + mode);
      Path bare = Fixtures.file("go-without-sections-" + mode);
      Files.deleteIfExists(bare);
      Files.copy(program, bare);
      try (RandomAccessFile file = new RandomAccessFile(bare.toFile(), "rw")) {
        file.seek(40);
        file.writeLong(0);
        file.seek(60);
        file.writeInt(0);
      }
      try (ElfFile elf = ElfFile.open(bare)) {
        assertThat(elf.sections()).isEmpty();
      }
      compare(program, bare);
    }
  }

  @Test
  void knowsOlderCompilers() throws IOException {
    for (String version : List.of("1.18.10", "1.20.14")) {
      Path program = buildBy(version, SOURCE);
      compare(program, program);
    }
  }

  /** Without inlined functions: the name of the outermost, the line of the innermost. */
  @Test
  void knowsGo116() throws IOException {
    Path program = buildBy("1.16.15", SOURCE.resolveSibling("lines116.go"));
    List<Long> addresses = addresses(program);
    List<List<String>> theirs = LlvmSymbolizer.answersWithSymbols(program, addresses);
    List<List<SourceFrame>> ours = ask(program, addresses);
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < ADDRESSES; i++) {
      String name = theirs.get(i).getLast().replaceAll(" [^ ]*$", "");
      String place = theirs.get(i).getFirst().replaceAll("^.* ", " ");
      if (!same(LlvmSymbolizer.text(ours.get(i)), List.of(name + place))) {
        differences.add("%x %s | %s".formatted(addresses.get(i), ours.get(i), theirs.get(i)));
      }
    }
    assertThat(differences).isEmpty();
    assertThat(ours.stream().filter(f -> !f.isEmpty()).count()).isGreaterThan(ADDRESSES * 9 / 10);
  }

  /** Go itself fetches its older versions. */
  private static Path buildBy(String version, Path source) {
    Path program = Fixtures.file("go-" + version);
    try {
      Fixtures.run(
          "env",
          "GOENV=off",
          "GOTOOLCHAIN=go" + version,
          "go",
          "build",
          // llvm-symbolizer does not read what they compress.
          "-ldflags=-compressdwarf=false",
          "-o",
          program.toString(),
          source.toString());
    } catch (AssertionError e) {
      return Assumptions.abort("Go " + version + " cannot be fetched: " + e.getMessage());
    }
    return program;
  }

  @Test
  void findsNothingInOtherPrograms() {
    Path program = Fixtures.gcc("no-go", "int main(void) { return 0; }\n");
    try (ElfFile elf = ElfFile.open(program)) {
      assertThat(GoFunctions.of(elf)).isEmpty();
    }
  }

  /** All frames, against the debug information of {@code described}. */
  private static void compare(Path described, Path program) throws IOException {
    List<Long> addresses = addresses(described);
    List<List<String>> theirs = LlvmSymbolizer.answersWithSymbols(described, addresses);
    List<List<SourceFrame>> ours = ask(program, addresses);
    List<String> differences = new ArrayList<>();
    int known = 0;
    int inlined = 0;
    for (int i = 0; i < ADDRESSES; i++) {
      List<String> text = LlvmSymbolizer.text(ours.get(i));
      known += ours.get(i).isEmpty() ? 0 : 1;
      inlined += text.size() > 1 ? 1 : 0;
      // gcc's part of the program is not in Go's table.
      boolean c = theirs.get(i).getLast().contains(".c:") && ours.get(i).isEmpty();
      if (!c && !same(text, theirs.get(i))) {
        differences.add("%x %s\n  %s".formatted(addresses.get(i), text, theirs.get(i)));
      }
    }
    System.out.printf(
        "%s: %d known, %d with inlined functions, %d differ%n",
        program.getFileName(), known, inlined, differences.size());
    assertThat(differences).isEmpty();
    assertThat(known).isGreaterThan(ADDRESSES * 9 / 10);
    assertThat(inlined).isGreaterThan(ADDRESSES / 10);
  }

  /**
   * Code that no source has: its debug information names a file or not, and no folder. The symbol
   * table adds the calling convention to names of assembler code, and a file of its own. Before Go
   * 1.20 names have no type arguments.
   */
  private static boolean same(List<String> ours, List<String> theirs) {
    String made = " <autogenerated>:1";
    if (ours.size() != theirs.size()) {
      return false;
    }
    for (int i = 0; i < ours.size(); i++) {
      String our = ours.get(i);
      boolean arguments = !our.contains("[...]");
      String their =
          theirs.get(i).replace(" ./<", " <").replace(".abi0 ", " ").replace(" go.go:0", " ??:0");
      their = arguments ? their : their.replaceFirst("\\[.*\\]", "[...]");
      boolean madeUp =
          our.endsWith(made)
              && their.equals(our.substring(0, our.length() - made.length()) + " ??:0");
      if (!our.equals(their) && !madeUp) {
        return false;
      }
    }
    return true;
  }

  private static Path build(String name, String... options) {
    Path program = Fixtures.file(name);
    List<String> command = new ArrayList<>(List.of("go", "build"));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", program.toString(), SOURCE.toString()));
    Fixtures.run(command.toArray(String[]::new));
    return program;
  }

  private static List<List<SourceFrame>> ask(Path program, List<Long> addresses) {
    try (ElfFile elf = ElfFile.open(program)) {
      GoFunctions functions = GoFunctions.of(elf).orElseThrow();
      return addresses.stream().map(functions::frames).toList();
    }
  }

  private static List<Long> addresses(Path program) {
    try (ElfFile elf = ElfFile.open(program)) {
      return LlvmSymbolizer.addresses(elf, ADDRESSES, 11);
    }
  }

  /** As Go's runtime names it. */
  private static String text(SourceFrame frame) {
    return frame.name() + " " + frame.file() + ":" + frame.line();
  }
}
