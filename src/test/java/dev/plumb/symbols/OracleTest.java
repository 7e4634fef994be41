package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.elf.SymbolTable;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Holds names of random addresses against llvm-symbolizer and addr2line. */
class OracleTest {
  private static final int ADDRESSES = 2000;

  private Map<String, Set<Long>> addressesOfName = Map.of();

  private static final Path LIBC = Path.of("/lib/x86_64-linux-gnu/libc.so.6");

  /** Without what leads the tools to a separate debug file. */
  @Test
  void agreesOnLibc() throws IOException {
    Path copy = Fixtures.file("libc-alone.so.6");
    Fixtures.run(
        "objcopy",
        "-R",
        ".note.gnu.build-id",
        "-R",
        ".gnu_debuglink",
        LIBC.toString(),
        copy.toString());
    compare(copy);
  }

  /** With the local functions, assembler code and aliases that distributions strip off. */
  @Test
  void agreesOnLibcWithAllItsSymbols() throws IOException {
    String id;
    try (ElfFile elf = ElfFile.open(LIBC)) {
      id = elf.buildId().orElseThrow();
    }
    Path debug =
        Path.of("/usr/lib/debug/.build-id", id.substring(0, 2), id.substring(2) + ".debug");
    Assumptions.assumeTrue(Files.exists(debug));
    Path whole = Fixtures.file("libc-whole.so.6");
    Fixtures.run("eu-unstrip", "-o", whole.toString(), LIBC.toString(), debug.toString());
    Path symbols = Fixtures.file("libc-symbols.so.6");
    Fixtures.run("strip", "-g", "-o", symbols.toString(), whole.toString());
    Fixtures.run("objcopy", "-R", ".note.gnu.build-id", "-R", ".gnu_debuglink", symbols.toString());
    compare(symbols);
  }

  @Test
  void agreesOnLibjvm() throws IOException {
    compare(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so"));
  }

  @Test
  void agreesOnAGoProgram() throws IOException {
    compare(Path.of("/usr/local/go/bin/go"));
  }

  private void compare(Path given) throws IOException {
    Assumptions.assumeTrue(Files.exists(given));
    Path file = given.toRealPath();
    List<Long> elfAddresses = new ArrayList<>();
    List<Frame> ours = new ArrayList<>();
    try (ElfFile elf = ElfFile.open(file);
        Mappings mappings = Mappings.ofFile(file, Files.size(file));
        Symbolizer symbolizer = new Symbolizer()) {
      addressesOfName = addressesOfName(elf);
      Section text = elf.section(".text").orElseThrow();
      Segment load =
          elf.segments().stream()
              .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
              .findFirst()
              .orElseThrow();
      Random random = new Random(7);
      Mapping mapping = mappings.only();
      for (int i = 0; i < ADDRESSES; i++) {
        long elfAddress = text.elfAddress() + random.nextLong(text.size());
        long fileOffset = elfAddress - load.elfAddress() + load.fileOffset();
        elfAddresses.add(elfAddress);
        ours.add(symbolizer.user(mapping, mapping.start() + fileOffset, false).getLast());
        assertThat(ours.getLast().elfAddress()).isEqualTo(elfAddress);
      }
    }
    check(file, "llvm-symbolizer", elfAddresses, ours, llvm(file, elfAddresses));
    check(file, "addr2line", elfAddresses, ours, addr2line("addr2line", file, elfAddresses));
    check(file, "eu-addr2line", elfAddresses, ours, addr2line("eu-addr2line", file, elfAddresses));
  }

  private void check(
      Path file, String tool, List<Long> elfAddresses, List<Frame> ours, List<String> theirs) {
    assertThat(theirs).hasSameSizeAs(ours);
    int equal = 0;
    int bothUnnamed = 0;
    int onlyOurs = 0;
    int onlyTheirs = 0;
    int different = 0;
    StringBuilder examples = new StringBuilder();
    for (int i = 0; i < ours.size(); i++) {
      Frame frame = ours.get(i);
      String name = theirs.get(i).replaceAll("@.*", "");
      boolean known = !name.startsWith("??");
      long start = frame.elfAddress() - frame.offset();
      if (!frame.named() && !known) {
        bothUnnamed++;
      } else if (frame.named() && !known) {
        onlyOurs++;
      } else if (!frame.named()) {
        onlyTheirs++;
      } else if (frame.name().equals(name)
          || addressesOfName.getOrDefault(name, Set.of()).contains(start)) {
        equal++;
        continue;
      } else {
        different++;
      }
      if (examples.length() < 3000 && known) {
        examples.append(
            "%x ours %s+%x theirs %s%n"
                .formatted(elfAddresses.get(i), frame.name(), frame.offset(), name));
      }
    }
    System.out.printf(
        "%s, %s: %d equal, %d unnamed by both, %d only ours, %d only theirs, %d different%n",
        file.getFileName(), tool, equal, bothUnnamed, onlyOurs, onlyTheirs, different);
    assertThat(different).as(examples.toString()).isZero();
    // Binutils' takes the function before a gap for one that fills it, and ignores .dynsym.
    if (!tool.equals("addr2line")) {
      assertThat(onlyOurs + onlyTheirs).as(examples.toString()).isZero();
    }
  }

  private static Map<String, Set<Long>> addressesOfName(ElfFile elf) {
    Map<String, Set<Long>> names = new HashMap<>();
    for (Section section : elf.sections()) {
      if (section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
        SymbolTable table = elf.symbols(section);
        table.forEachDefined(
            (symbol, name, value, size, type, binding, in) ->
                names
                    .computeIfAbsent(
                        table.strings().string(name).replaceAll("@.*", ""), n -> new HashSet<>())
                    .add(value));
      }
    }
    return names;
  }

  private static List<String> llvm(Path file, List<Long> elfAddresses) throws IOException {
    Path input = Fixtures.file("addresses");
    Files.write(input, elfAddresses.stream().map(a -> "0x" + Long.toHexString(a)).toList());
    String output =
        Fixtures.run(
            "sh",
            "-c",
            "llvm-symbolizer-19 --no-inlines --functions=linkage --no-demangle --obj="
                + file
                + " < "
                + input);
    return output.lines().filter(l -> !l.isEmpty() && !l.matches(".*:(\\d+|\\?):.*")).toList();
  }

  private static List<String> addr2line(String tool, Path file, List<Long> elfAddresses)
      throws IOException {
    Path input = Fixtures.file("addresses");
    Files.write(input, elfAddresses.stream().map(a -> "0x" + Long.toHexString(a)).toList());
    String output = Fixtures.run("sh", "-c", tool + " -f -e " + file + " < " + input);
    List<String> lines = output.lines().toList();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < lines.size(); i += 2) {
      names.add(lines.get(i));
    }
    return names;
  }
}
