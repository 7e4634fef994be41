package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.elf.SymbolTable;
import dev.plumb.profile.Frame;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The functions of stripped files have the names that the file had before; elfutils agrees. */
class StrippedFilesTest {
  private static final String SOURCE =
      """
      namespace shop {
      static __attribute__((noinline)) int hidden(int x) { return x * 5; }
      __attribute__((noinline)) int visible(int x) { return hidden(x) * 3; }
      }
      int main(int argc, char **argv) { return shop::visible(argc); }
      """;

  private static Path whole;
  private static Path debug;
  private static final Map<String, Long> OFFSETS = new TreeMap<>();
  private static final Map<String, Long> ELF_ADDRESSES = new TreeMap<>();

  @TempDir Path folder;

  @BeforeAll
  static void make() throws IOException {
    Path source = Fixtures.file("stripped-files.cpp");
    Files.writeString(source, SOURCE);
    whole = Fixtures.file("stripped-files");
    debug = Fixtures.file("stripped-files.debug");
    Fixtures.run("g++", "-O1", "-rdynamic", source.toString(), "-o", whole.toString());
    Fixtures.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
    try (ElfFile elf = ElfFile.open(whole)) {
      Section table = elf.section(".symtab").orElseThrow();
      SymbolTable symbols = elf.symbols(table);
      symbols.forEachDefined(
          (symbol, name, value, size, type, binding, section) -> {
            String text = symbols.strings().string(name);
            if (text.contains("hidden") || text.contains("visible")) {
              OFFSETS.put(text, fileOffset(elf, value));
              ELF_ADDRESSES.put(text, value);
            }
          });
    }
    assertThat(OFFSETS).hasSize(2);
  }

  private static long fileOffset(ElfFile elf, long elfAddress) {
    for (Segment s : elf.segments()) {
      if (s.type() == Segment.PT_LOAD && elfAddress - s.elfAddress() < s.fileSize()) {
        if (elfAddress >= s.elfAddress()) {
          return elfAddress - s.elfAddress() + s.fileOffset();
        }
      }
    }
    throw new AssertionError("not loaded");
  }

  @Test
  void withoutThemTheirNamesAreMissing() throws IOException {
    Path program = stripped("--strip-all");
    assertThat(name(program, "_ZN4shop7visibleEi")).isEqualTo("shop::visible(int)");
    assertThat(name(program, "_ZN4shopL6hiddenEi")).startsWith("[unknown in program+0x");
  }

  @Test
  void aDebugFileNamesThem() throws IOException {
    Path program = stripped("--strip-all", "--add-gnu-debuglink=" + debug);
    Files.copy(debug, folder.resolve("stripped-files.debug"));
    assertThat(name(program, "_ZN4shopL6hiddenEi")).isEqualTo("shop::hidden(int)");
    assertThat(name(program, "_ZN4shop7visibleEi")).isEqualTo("shop::visible(int)");
  }

  @Test
  void aDebugFileInTheFolderDebugNamesThem() throws IOException {
    Path program = stripped("--strip-all", "--add-gnu-debuglink=" + debug);
    Files.createDirectory(folder.resolve(".debug"));
    Files.copy(debug, folder.resolve(".debug/stripped-files.debug"));
    assertThat(name(program, "_ZN4shopL6hiddenEi")).isEqualTo("shop::hidden(int)");
  }

  /** What is packed has only the symbols that .dynsym does not have. */
  @Test
  void symbolsPackedIntoTheFileNameThem() throws IOException {
    Path packed = folder.resolve("mini");
    Fixtures.run(
        "objcopy", "-S", "--keep-symbol=_ZN4shopL6hiddenEi", debug.toString(), packed.toString());
    Fixtures.run("xz", packed.toString());
    Path program = stripped("--strip-all", "--add-section=.gnu_debugdata=" + packed + ".xz");
    assertThat(name(program, "_ZN4shopL6hiddenEi")).isEqualTo("shop::hidden(int)");
    assertThat(name(program, "_ZN4shop7visibleEi")).isEqualTo("shop::visible(int)");
  }

  @Test
  void aBrokenOneCostsItsNamesOnly() throws IOException {
    Path garbage = folder.resolve("garbage");
    Files.writeString(garbage, "no xz");
    Path program = stripped("--strip-all", "--add-section=.gnu_debugdata=" + garbage);
    assertThat(name(program, "_ZN4shop7visibleEi")).isEqualTo("shop::visible(int)");
    assertThat(name(program, "_ZN4shopL6hiddenEi")).startsWith("[unknown in program+0x");
  }

  /** Somebody who wonders why names are missing is told. */
  @Test
  void aRefusedDebugFileIsAProblemToTell() throws IOException {
    Path program = stripped("--strip-all", "--add-gnu-debuglink=" + debug);
    Files.copy(whole, folder.resolve("stripped-files.debug"));
    try (Symbolizer symbolizer = new Symbolizer();
        Mappings mappings = Mappings.ofFile(program.toRealPath(), Files.size(program))) {
      assertThat(frame(symbolizer, mappings, "_ZN4shopL6hiddenEi").named()).isFalse();
      assertThat(symbolizer.fileProblems()).singleElement().asString().contains("CRC ");
    }
  }

  /** A debug file with more functions than fit leaves the exported ones. */
  @Test
  void oneThatIsTooLargeIsNotUsed() throws IOException {
    Path program = stripped("--strip-all", "--add-gnu-debuglink=" + debug);
    Files.copy(debug, folder.resolve("stripped-files.debug"));
    for (int functions = 1; functions < 100; functions++) {
      try (Symbolizer symbolizer =
              new Symbolizer((long) functions * FunctionTableBuilder.BYTES_PER_FUNCTION);
          Mappings mappings = Mappings.ofFile(program.toRealPath(), Files.size(program))) {
        if (frame(symbolizer, mappings, "_ZN4shop7visibleEi").named()) {
          assertThat(frame(symbolizer, mappings, "_ZN4shopL6hiddenEi").named()).isFalse();
          return;
        }
      }
    }
    throw new AssertionError("never named");
  }

  private Path stripped(String... options) {
    Path program = folder.resolve("program");
    String[] command = new String[options.length + 3];
    command[0] = "objcopy";
    System.arraycopy(options, 0, command, 1, options.length);
    command[options.length + 1] = whole.toString();
    command[options.length + 2] = program.toString();
    Fixtures.run(command);
    return program;
  }

  private static String name(Path program, String symbol) throws IOException {
    try (Symbolizer symbolizer = new Symbolizer();
        Mappings mappings = Mappings.ofFile(program.toRealPath(), Files.size(program))) {
      Frame frame = frame(symbolizer, mappings, symbol);
      String theirs =
          Fixtures.run(
              "eu-addr2line",
              "-S",
              "-C",
              "-e",
              program.toString(),
              "0x" + Long.toHexString(ELF_ADDRESSES.get(symbol)));
      // Without a name it shows the section or the last symbol before, with an offset.
      String name = theirs.lines().findFirst().orElseThrow();
      assertThat(frame.named() ? frame.name() : "unnamed")
          .isEqualTo(name.contains("+0x") ? "unnamed" : name);
      return frame.name();
    }
  }

  private static Frame frame(Symbolizer symbolizer, Mappings mappings, String symbol) {
    long processAddress = mappings.only().start() + OFFSETS.get(symbol) + 1;
    return symbolizer.user(mappings.only(), processAddress, false).getFirst();
  }
}
