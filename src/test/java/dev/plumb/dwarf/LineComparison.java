package dev.plumb.dwarf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compiles programs and compares what is known of random addresses with llvm-symbolizer. */
final class LineComparison {
  static final Path SOURCES = Path.of("src/test/targets").toAbsolutePath();
  private static final int ADDRESSES = 1000;

  private LineComparison() {}

  static Path compile(String compiler, String source, String name, String... options) {
    Path program = Fixtures.file("lines-" + name);
    List<String> command = new ArrayList<>(List.of(compiler, SOURCES.resolve(source).toString()));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", program.toString()));
    Fixtures.run(command.toArray(String[]::new));
    return program;
  }

  static void check(Path file, int leastKnown) throws IOException {
    try (ElfFile elf = ElfFile.open(file)) {
      compare(file, elf, Optional.empty(), leastKnown);
    }
  }

  static void compare(Path oracleFile, ElfFile elf, Optional<ElfFile> alternate, int leastKnown)
      throws IOException {
    compare(oracleFile, elf, alternate, SplitFiles.NONE, leastKnown);
  }

  static void compare(
      Path oracleFile, ElfFile elf, Optional<ElfFile> alternate, SplitFiles split, int leastKnown)
      throws IOException {
    List<Long> addresses = LlvmSymbolizer.addresses(elf, ADDRESSES, 42);
    List<List<String>> theirs = LlvmSymbolizer.answers(oracleFile, addresses);
    assertThat(theirs).hasSameSizeAs(addresses);
    DebugInfo info = DebugInfo.of(elf, alternate, split, UnitStore.NONE, 1 << 20);
    int known = 0;
    int inlined = 0;
    int cold = 0;
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < ADDRESSES; i++) {
      List<SourceFrame> frames = info.frames(addresses.get(i));
      List<String> ours = LlvmSymbolizer.text(frames);
      known += frames.isEmpty() ? 0 : 1;
      inlined += frames.size() > 1 ? 1 : 0;
      if (isColdPart(ours, theirs.get(i))) {
        cold++;
      } else if (!ours.equals(theirs.get(i))) {
        differences.add(
            "%x\n  ours   %s\n  theirs %s".formatted(addresses.get(i), ours, theirs.get(i)));
      }
    }
    System.out.printf(
        "%s: %d known, %d with inlined functions, %d cold parts%n",
        oracleFile.getFileName(), known, inlined, cold);
    assertThat(differences).as(oracleFile.toString()).isEmpty();
    assertThat(known).isGreaterThan(leastKnown);
    assertThat(inlined).isGreaterThan(5);
  }

  /**
   * Before DWARF 3, gcc describes the cold part of a function by an entry of its own, behind the
   * entries of functions inlined in it; llvm-symbolizer takes those for the end of what it covers.
   * Ours is the name that gcc gave it; the line is the same.
   */
  private static boolean isColdPart(List<String> ours, List<String> theirs) {
    return ours.size() == 1
        && theirs.size() == 1
        && ours.getFirst().startsWith("__second_sect_of_")
        && theirs.getFirst().startsWith("?? ")
        && ours.getFirst().replaceAll("^\\S+", "??").equals(theirs.getFirst());
  }
}
