package dev.plumb.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.testing.Fixtures;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ElfFileTest {
  private static final String SOURCE =
      """
      int counter = 7;
      static int twice(int x) { return x * 2; }
      int work(int x) { return twice(x) + counter; }
      int main(void) { return work(0) - 7; }
      """;

  @Test
  void readsABpfObject() {
    Path object =
        Fixtures.clang(
            "tiny.bpf.o",
            """
            __attribute__((section("license"))) char LICENSE[] = "GPL";
            __attribute__((section("socket"))) int pass(void *context) { return 1; }
            """,
            "--target=bpf",
            "-O2",
            "-g",
            "-c");
    try (ElfFile elf = ElfFile.open(object)) {
      assertThat(elf.machine()).isEqualTo(ElfFile.EM_BPF);
      assertThat(elf.type()).isEqualTo(ElfFile.ET_REL);
      assertThat(elf.segments()).isEmpty();
      MemorySegment license = elf.data(elf.section("license").orElseThrow());
      assertThat(license.getString(0)).isEqualTo("GPL");
      Section program = elf.section("socket").orElseThrow();
      assertThat(elf.data(program).byteSize()).isEqualTo(16);
      assertThat(elf.data(elf.section(".BTF").orElseThrow()).get(ValueLayout.JAVA_SHORT, 0))
          .isEqualTo((short) 0xeb9f);
      SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
      int pass = symbol(symbols, "pass");
      assertThat(symbols.type(pass)).isEqualTo(SymbolTable.STT_FUNC);
      assertThat(symbols.section(pass)).isEqualTo(program.index());
      assertThat(symbols.size(pass)).isEqualTo(16);
    }
  }

  @Test
  void holdsNoMemoryOfWhatItUnloaded() throws Exception {
    Path program =
        Fixtures.gcc("unloaded", "char big[1 << 20] = {1}; int main(void) { return big[0] - 1; }");
    try (ElfFile elf = ElfFile.open(program)) {
      MemorySegment data = elf.data(elf.section(".data").orElseThrow());
      byte[] before = data.toArray(ValueLayout.JAVA_BYTE);
      assertThat(residentKilobytes(program)).isGreaterThanOrEqualTo(1024);
      elf.unload();
      assertThat(residentKilobytes(program)).isZero();
      assertThat(data.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }
  }

  private static int residentKilobytes(Path mapped) throws Exception {
    int sum = 0;
    boolean inside = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
        inside = line.endsWith(mapped.toString());
      } else if (inside && line.startsWith("Rss:")) {
        sum += Integer.parseInt(line.replaceAll("[^0-9]", ""));
      }
    }
    return sum;
  }

  @Test
  void reads64BitAnd32BitPrograms() {
    for (boolean wide : new boolean[] {true, false}) {
      Path program =
          Fixtures.gcc(
              wide ? "tiny64" : "tiny32",
              SOURCE,
              wide ? "-m64" : "-m32",
              "-Wl,--build-id=0x0123456789abcdef");
      try (ElfFile elf = ElfFile.open(program)) {
        assertThat(elf.is64()).isEqualTo(wide);
        assertThat(elf.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(elf.machine()).isEqualTo(wide ? ElfFile.EM_X86_64 : ElfFile.EM_386);
        assertThat(elf.buildId()).contains("0123456789abcdef");
        assertThat(elf.goBuildId()).isEmpty();
        SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
        int start = symbol(symbols, "_start");
        assertThat(elf.entryPoint()).isEqualTo(symbols.value(start));
        int work = symbol(symbols, "work");
        assertThat(symbols.binding(work)).isEqualTo(SymbolTable.STB_GLOBAL);
        assertThat(symbols.binding(symbol(symbols, "twice"))).isEqualTo(SymbolTable.STB_LOCAL);
        Section text = elf.sections().get(symbols.section(work));
        assertThat(text.name()).isEqualTo(".text");
        long fileOffset = symbols.value(work) - text.elfAddress() + text.fileOffset();
        assertThat(elf.elfAddressAt(fileOffset)).hasValue(symbols.value(work));
        assertThat(elf.dynamic()).extracting(DynamicEntry::tag).contains(DynamicEntry.DT_NEEDED);
        assertThat(elf.data(elf.section(".bss").orElseThrow()).byteSize()).isZero();
      }
    }
  }

  @Test
  void readsBigEndianObjects() {
    for (String target : new String[] {"mips-linux-gnu", "powerpc64-linux-gnu"}) {
      Path object = Fixtures.clang(target + ".o", SOURCE, "--target=" + target, "-c");
      try (ElfFile elf = ElfFile.open(object)) {
        assertThat(elf.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        assertThat(elf.is64()).isEqualTo(target.contains("64"));
        SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
        int counter = symbol(symbols, "counter");
        Section data = elf.sections().get(symbols.section(counter));
        assertThat(elf.bytes(data).i32(symbols.value(counter))).isEqualTo(7);
      }
    }
  }

  @Test
  void refusesWhatIsNoElfFile() throws Exception {
    Path text = Files.writeString(Fixtures.file("no-elf"), "#!/bin/sh\necho not an ELF file\n");
    assertThatThrownBy(() -> ElfFile.open(text))
        .isInstanceOf(ElfException.class)
        .hasMessageContaining("not an ELF file");
    Path empty = Files.write(Fixtures.file("empty"), new byte[0]);
    assertThatThrownBy(() -> ElfFile.open(empty)).isInstanceOf(ElfException.class);
    assertThatThrownBy(() -> ElfFile.open(Path.of("/"))).isInstanceOf(ElfException.class);
    assertThatThrownBy(() -> ElfFile.open(Path.of("/does/not/exist")))
        .isInstanceOf(ElfException.class);
    assertThatThrownBy(() -> ElfFile.of(MemorySegment.ofArray(new byte[3]), "three bytes"))
        .isInstanceOf(ElfException.class);
  }

  @Test
  void decompressesSections() {
    StringBuilder source = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      source.append("int number_%d(int x) { return x + %d; }\n".formatted(i, i));
    }
    for (String width : new String[] {"64", "32"}) {
      Path plain =
          Fixtures.gcc("debug" + width + ".o", source.toString(), "-g", "-c", "-m" + width);
      byte[] expected = contents(plain, ".debug_info", false);
      Path zlib = Fixtures.file("debug-zlib" + width + ".o");
      Fixtures.run("objcopy", "--compress-debug-sections=zlib", plain.toString(), zlib.toString());
      assertThat(contents(zlib, ".debug_info", true)).isEqualTo(expected);
      Path zstd = Fixtures.file("debug-zstd" + width + ".o");
      Fixtures.run(
          "llvm-objcopy-19", "--compress-debug-sections=zstd", plain.toString(), zstd.toString());
      assertThat(contents(zstd, ".debug_info", true)).isEqualTo(expected);
      Path old = Fixtures.file("debug-zdebug" + width + ".o");
      Fixtures.run(
          "objcopy", "--compress-debug-sections=zlib-gnu", plain.toString(), old.toString());
      assertThat(contents(old, ".zdebug_info", false)).isEqualTo(expected);
    }
  }

  private static byte[] contents(Path file, String name, boolean compressed) {
    try (ElfFile elf = ElfFile.open(file)) {
      Section section = elf.section(name).orElseThrow();
      assertThat((section.flags() & Section.SHF_COMPRESSED) != 0).isEqualTo(compressed);
      return elf.data(section).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  static int symbol(SymbolTable symbols, String name) {
    return IntStream.range(0, symbols.size())
        .filter(i -> symbols.name(i).equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no symbol " + name));
  }
}
