package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.SymbolTable;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.Vdso;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.testing.Child;
import dev.plumb.testing.Fixtures;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names addresses that running programs say of themselves. */
class SymbolizerTest {
  private static final String PROGRAM =
      """
      #include <stdio.h>
      #include <unistd.h>
      int exported(int x) { return x * 3; }
      static __attribute__((noinline)) int hidden(int x) { return x * 5; }
      int from_library(int);
      extern char bare_function[], label_inside[];
      asm(".text\\n.globl bare_function\\nbare_function: nop\\nnop\\nnop\\nnop\\nret\\n.balign 64\\n");
      asm(".globl sized\\n.type sized, @function\\nsized: nop\\nlabel_inside: nop\\nnop\\nret\\n"
          ".size sized, . - sized\\n.balign 64\\n");
      __attribute__((weak, alias("exported"))) int __weak_alias(int);
      #define SAY(f) printf(#f " %lx\\n", (long) f)
      int main(int argc, char **argv) {
        SAY(exported); SAY(hidden); SAY(main); SAY(bare_function); SAY(label_inside);
      #ifdef WITH_LIBRARY
        SAY(from_library);
      #endif
        printf("end %d\\n", exported(argc) + hidden(argc));
        fflush(stdout);
        pause();
      }
      """;

  private static Map<String, Long> addresses(Child child) {
    Map<String, Long> addresses = new LinkedHashMap<>();
    for (String line = child.line(); !line.startsWith("end"); line = child.line()) {
      String[] parts = line.split(" ");
      addresses.put(parts[0], Long.parseLong(parts[1], 16));
    }
    return addresses;
  }

  private static void namesTheProgramsFunctions(Path program, String module) {
    try (Child child = Child.start(program.toString());
        Symbolizer symbolizer = new Symbolizer()) {
      Map<String, Long> addresses = addresses(child);
      try (Mappings mappings = Mappings.of(child.pid())) {
        addresses.forEach(
            (name, address) -> {
              String expected = name.equals("label_inside") ? "sized" : name;
              Mapping mapping = mappings.at(address);
              Frame frame = symbolizer.user(mapping, address + 2, false).getFirst();
              assertThat(frame.name()).isEqualTo(expected);
              assertThat(frame.offset()).isEqualTo(name.equals(expected) ? 2 : 3);
              assertThat(frame.named()).isTrue();
              assertThat(frame.kind()).isEqualTo(FrameKind.NATIVE);
              assertThat(frame.module())
                  .isEqualTo(name.equals("from_library") ? "libfixture.so" : module);
              Frame called = symbolizer.user(mapping, address + 1, true).getFirst();
              assertThat(called.name()).isEqualTo(expected);
              assertThat(called.elfAddress()).isEqualTo(frame.elfAddress() - 2);
              assertThat(symbolizer.user(mapping, address, true).getFirst().name())
                  .isNotEqualTo(name);
            });
      }
      assertThat(symbolizer.fileProblems()).isEmpty();
    }
  }

  @Test
  void namesFunctionsOfAPositionIndependentProgram() {
    namesTheProgramsFunctions(
        Fixtures.gcc("names-pie", PROGRAM, "-O1", "-pie", "-fPIE"), "names-pie");
  }

  @Test
  void namesFunctionsOfAProgramAtAFixedAddress() {
    namesTheProgramsFunctions(
        Fixtures.gcc("names-fixed", PROGRAM, "-O1", "-no-pie", "-fno-pie"), "names-fixed");
  }

  @Test
  void namesFunctionsOfStaticPrograms() {
    namesTheProgramsFunctions(
        Fixtures.gcc("names-static", PROGRAM, "-O1", "-static"), "names-static");
    namesTheProgramsFunctions(
        Fixtures.gcc("names-static-pie", PROGRAM, "-O1", "-static-pie", "-fPIE"),
        "names-static-pie");
  }

  @Test
  void namesFunctionsOf32BitPrograms() {
    namesTheProgramsFunctions(Fixtures.gcc("names-32", PROGRAM, "-O1", "-m32"), "names-32");
  }

  @Test
  void namesFunctionsWhereCodeAndDataShareAPage() {
    namesTheProgramsFunctions(
        Fixtures.gcc("names-packed", PROGRAM, "-O1", "-Wl,-z,noseparate-code"), "names-packed");
  }

  @Test
  void namesFunctionsOfALibrary() {
    Path library =
        Fixtures.gcc(
            "libfixture.so", "int from_library(int x) { return x + 1; }", "-shared", "-fPIC");
    namesTheProgramsFunctions(
        Fixtures.gcc(
            "names-library", PROGRAM, "-O1", "-DWITH_LIBRARY", library.toString(), "-Wl,-rpath,."),
        "names-library");
  }

  @Test
  void saysWhereItIsInAStrippedProgram() {
    Path program = Fixtures.gcc("names-whole", PROGRAM, "-O1", "-Wl,--build-id=0xabcd");
    Path stripped = Fixtures.file("names-stripped");
    Fixtures.run("strip", "-o", stripped.toString(), program.toString());
    try (Child child = Child.start(stripped.toString());
        Symbolizer symbolizer = new Symbolizer()) {
      long address = addresses(child).get("exported");
      try (Mappings mappings = Mappings.of(child.pid());
          ElfFile elf = ElfFile.open(program)) {
        SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
        long elfAddress = -1;
        for (int i = 0; i < symbols.size(); i++) {
          elfAddress = symbols.name(i).equals("exported") ? symbols.value(i) : elfAddress;
        }
        Frame frame = symbolizer.user(mappings.at(address), address, false).getFirst();
        assertThat(frame.name())
            .isEqualTo("[unknown in names-stripped+0x" + Long.toHexString(elfAddress) + "]");
        assertThat(frame.named()).isFalse();
        assertThat(frame.elfAddress()).isEqualTo(elfAddress);
        assertThat(frame.buildId()).isEqualTo("abcd");
        assertThat(symbolizer.unnamedCounts()).containsOnlyKeys(UnnamedReason.NO_SYMBOLS);
      }
    }
  }

  @Test
  void namesTheVdsoOfAnotherProcess() {
    byte[] image = Vdso.image();
    try (Child child = Child.start("sleep", "60");
        Symbolizer symbolizer = new Symbolizer();
        ElfFile elf = ElfFile.of(MemorySegment.ofArray(image), "vdso")) {
      SymbolTable symbols = elf.symbols(elf.section(".dynsym").orElseThrow());
      int named = 0;
      try (Mappings mappings = Mappings.of(child.pid())) {
        Mapping vdso = mappings.named("[vdso]");
        for (int i = 0; i < symbols.size(); i++) {
          if (symbols.type(i) == SymbolTable.STT_FUNC && symbols.section(i) != 0) {
            Frame frame =
                symbolizer.user(vdso, vdso.start() + symbols.value(i) + 1, false).getFirst();
            assertThat(frame.named()).isTrue();
            assertThat(frame.module()).isEqualTo("[vdso]");
            assertThat(frame.offset()).isEqualTo(1);
            assertThat(frame.buildId()).isNotEmpty();
            named += frame.name().contains("clock_gettime") ? 1 : 0;
          }
        }
      }
      assertThat(named).isPositive();
    }
    Mapping narrow = new Mapping(0xf7f0_0000L, 0xf7f0_2000L, 0, BackingFile.vdso());
    try (Symbolizer symbolizer = new Symbolizer()) {
      assertThat(symbolizer.user(narrow, 0xf7f0_0010L, false).getFirst().name())
          .isEqualTo("[unknown in [vdso]+0x10]");
    }
  }

  @Test
  void saysWhereItIsInMemoryWithoutAFile() {
    try (Symbolizer symbolizer = new Symbolizer()) {
      Mapping memory =
          new Mapping(0x7f00_0000_1000L, 0x7f00_0000_2000L, 0, BackingFile.anonymous("//anon"));
      Frame frame = symbolizer.user(memory, 0x7f00_0000_1234L, false).getFirst();
      assertThat(frame.name()).isEqualTo("[unknown in //anon+0x234]");
      assertThat(frame.module()).isEqualTo("[anon]");
      assertThat(frame.named()).isFalse();
      Mapping heap = new Mapping(0x1000, 0x2000, 0, BackingFile.anonymous("[heap]"));
      assertThat(symbolizer.user(heap, 0x1001, true).getFirst().name())
          .isEqualTo("[unknown in [heap]+0x0]");
      Mapping lost = new Mapping(0x1000, 0x2000, 0x3000, BackingFile.ofLost("/opt/x/libgone.so"));
      Frame gone = symbolizer.user(lost, 0x1010, false).getFirst();
      assertThat(gone.name()).isEqualTo("[unknown in libgone.so+0x3010]");
      assertThat(gone.module()).isEqualTo("libgone.so");
      assertThat(symbolizer.unnamedCounts())
          .isEqualTo(Map.of(UnnamedReason.ANONYMOUS, 2L, UnnamedReason.UNREADABLE, 1L));
    }
  }
}
