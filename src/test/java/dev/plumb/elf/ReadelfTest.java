package dev.plumb.elf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds what we read of real files against what readelf reads. */
class ReadelfTest {
  private static final Map<Integer, String> SYMBOL_TYPES =
      Map.of(
          0, "NOTYPE", 1, "OBJECT", 2, "FUNC", 3, "SECTION", 4, "FILE", 5, "COMMON", 6, "TLS", 10,
          "IFUNC");
  private static final Map<Integer, String> BINDINGS =
      Map.of(0, "LOCAL", 1, "GLOBAL", 2, "WEAK", 10, "UNIQUE");
  private static final String[] VISIBILITIES = {"DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"};

  private long compared;

  @Test
  void agreesOnTheSystemsFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> programs = Files.list(Path.of("/usr/bin"))) {
      programs
          .filter(ReadelfTest::isSmallElf)
          .sorted()
          .filter(p -> Math.floorMod(p.toString().hashCode(), 8) == 0)
          .forEach(files::add);
    }
    files.add(Path.of("/lib/x86_64-linux-gnu/libc.so.6"));
    files.add(Path.of("/lib64/ld-linux-x86-64.so.2"));
    files.add(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so"));
    Path go = Path.of("/usr/local/go/bin/go");
    if (Files.exists(go)) {
      files.add(go);
    }
    for (Path file : files) {
      compare(file.toRealPath());
    }
    System.out.printf("%d files, %d lines equal%n", files.size(), compared);
    assertThat(compared).isGreaterThan(80_000);
  }

  @Test
  void agreesOnOtherArchitectures() {
    String source =
        "int f(int x) { return x + 1; }\nint table[9];\nint g(void) { return f(table[2]); }\n";
    compare(Fixtures.gcc("readelf32", source + "int main(void) { return g() - 1; }", "-m32"));
    compare(Fixtures.gcc("readelf32.so", source, "-m32", "-shared", "-fPIC"));
    for (String target :
        new String[] {
          "mips-linux-gnu",
          "mips64el-linux-gnu",
          "powerpc-linux-gnu",
          "s390x-linux-gnu",
          "aarch64-linux-gnu",
          "bpf"
        }) {
      compare(
          Fixtures.clang("readelf-" + target + ".o", source, "--target=" + target, "-c", "-O2"));
    }
  }

  @Test
  void readsMoreSectionsThanTheHeaderCanCount() {
    int count = 70_000;
    Path object =
        Fixtures.assemble(
            "many-sections.o",
            """
            .altmacro
            .macro make number
            .section .text.n\\number, "ax", @progbits
            .globl function_\\number
            function_\\number: nop
            .endm
            .set i, 0
            .rept %d
            make %%i
            .set i, i + 1
            .endr
            """
                .formatted(count),
            "-c");
    compare(object);
    try (ElfFile elf = ElfFile.open(object)) {
      assertThat(elf.sections()).hasSizeGreaterThan(count);
      SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
      int last = ElfFileTest.symbol(symbols, "function_" + (count - 1));
      assertThat(elf.sections().get(symbols.section(last)).name())
          .isEqualTo(".text.n" + (count - 1));
    }
  }

  @Test
  void agreesOnStrippedFilesAndSeparateDebugFiles() {
    Path program = Fixtures.gcc("separate", "int main(void) { return 0; }", "-g");
    Path stripped = Fixtures.file("separate.stripped");
    Path debug = Fixtures.file("separate.debug");
    Fixtures.run("strip", "-o", stripped.toString(), program.toString());
    Fixtures.run("objcopy", "--only-keep-debug", program.toString(), debug.toString());
    compare(stripped);
    compare(debug);
  }

  private void compare(Path file) {
    try (ElfFile elf = ElfFile.open(file)) {
      same(file, sections(elf), Readelf.sections(file));
      same(file, segments(elf), Readelf.segments(file));
      same(file, symbols(elf), Readelf.symbols(file));
      same(file, notes(elf), Readelf.notes(file));
    }
  }

  private void same(Path file, List<String> ours, List<String> theirs) {
    for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
      if (!ours.get(i).equals(theirs.get(i))) {
        assertThat(ours.get(i)).as("%s, line %d", file, i).isEqualTo(theirs.get(i));
      }
    }
    assertThat(ours.size()).as("lines of %s", file).isEqualTo(theirs.size());
    compared += ours.size();
  }

  private static List<String> sections(ElfFile elf) {
    return elf.sections().stream()
        .map(
            s ->
                "%d %s %s %x %x %x %x %d %d %d"
                    .formatted(
                        s.index(),
                        s.name(),
                        Readelf.SECTION_TYPES.getOrDefault(s.type(), "other"),
                        s.elfAddress(),
                        s.fileOffset(),
                        s.size(),
                        s.entrySize(),
                        s.link(),
                        s.info(),
                        s.alignment()))
        .toList();
  }

  private static List<String> segments(ElfFile elf) {
    return elf.segments().stream()
        .map(
            s ->
                "%x %x %x %x %s%s%s %x"
                    .formatted(
                        s.fileOffset(),
                        s.elfAddress(),
                        s.fileSize(),
                        s.memorySize(),
                        (s.flags() & 4) != 0 ? "R" : " ",
                        (s.flags() & 2) != 0 ? "W" : " ",
                        s.executable() ? "E" : " ",
                        s.alignment()))
        .toList();
  }

  private static List<String> symbols(ElfFile elf) {
    List<String> lines = new ArrayList<>();
    for (Section section : elf.sections()) {
      if (section.type() != Section.SHT_SYMTAB && section.type() != Section.SHT_DYNSYM) {
        continue;
      }
      SymbolTable table = elf.symbols(section);
      sameByVisitor(table);
      for (int i = 0; i < table.size(); i++) {
        lines.add(
            "%s %d %x %d %s %s %s %s %s"
                .formatted(
                    section.name(),
                    i,
                    table.value(i),
                    table.size(i),
                    SYMBOL_TYPES.get(table.type(i)),
                    BINDINGS.get(table.binding(i)),
                    VISIBILITIES[table.visibility(i)],
                    place(table, i),
                    table.type(i) == SymbolTable.STT_SECTION ? "" : table.name(i)));
      }
    }
    return lines;
  }

  /** The fast way through a table must say what the single questions say. */
  private static void sameByVisitor(SymbolTable table) {
    int[] visited = new int[1];
    table.forEachDefined(
        (symbol, name, value, size, type, binding, section) -> {
          visited[0]++;
          boolean same =
              name == table.nameOffset(symbol)
                  && value == table.value(symbol)
                  && size == table.size(symbol)
                  && type == table.type(symbol)
                  && binding == table.binding(symbol)
                  && section == table.section(symbol);
          if (!same) {
            throw new AssertionError("symbol " + symbol + " differs");
          }
        });
    long defined =
        IntStream.range(0, table.size())
            .filter(i -> table.section(i) != 0 && !table.isReservedSection(i))
            .count();
    assertThat(visited[0]).isEqualTo((int) defined);
  }

  private static String place(SymbolTable table, int symbol) {
    int section = table.section(symbol);
    if (section == SymbolTable.SHN_UNDEF) {
      return "UND";
    }
    if (!table.isReservedSection(symbol)) {
      return Integer.toString(section);
    }
    return section == SymbolTable.SHN_ABS ? "ABS" : "COM";
  }

  private static List<String> notes(ElfFile elf) {
    List<String> lines = new ArrayList<>();
    for (Note note : elf.notes()) {
      lines.add(note.owner() + " " + Long.toHexString(note.content().byteSize()));
    }
    elf.buildId().ifPresent(id -> lines.add("build id " + id));
    for (UsdtNote u : elf.usdtNotes()) {
      lines.add(
          "%s:%s %x %x %x %s"
              .formatted(
                  u.provider(), u.name(), u.elfAddress(), u.base(), u.semaphore(), u.arguments()));
    }
    return lines;
  }

  private static boolean isSmallElf(Path file) {
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > 4 << 20) {
        return false;
      }
      try (var in = Files.newInputStream(file)) {
        return in.read() == 0x7f && in.read() == 'E';
      }
    } catch (IOException e) {
      return false;
    }
  }
}
