package dev.plumb.elf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class UsdtTest {
  /**
   * What {@code sys/sdt.h} makes of {@code DTRACE_PROBE2(shop, sold, …)}, with words of n bytes.
   */
  static String source(int word) {
    String define = word == 8 ? ".8byte" : ".4byte";
    return """
           .section .stapsdt.base, "aG", @progbits, .stapsdt.base, comdat
           .weak _.stapsdt.base
           _.stapsdt.base: .space 1
           .section .probes, "aw"
           .globl sold_semaphore
           sold_semaphore: .2byte 0
           .text
           .globl probe
           probe: nop
           ret
           .section .note.stapsdt, "", @note
           .balign 4
           .4byte 8, 2f - 1f, 3
           .asciz "stapsdt"
           1: %1$s probe, _.stapsdt.base, sold_semaphore
           .asciz "shop"
           .asciz "sold"
           .asciz "-4@%%edi 8@16(%%rbp)"
           2: .balign 4
           """
        .formatted(define);
  }

  @Test
  void readsProbesOf64And32BitFiles() {
    for (int word : new int[] {8, 4}) {
      Path library =
          Fixtures.assemble(
              "usdt" + word + ".so",
              source(word),
              "-nostdlib",
              "-no-pie",
              "-Wl,-e,probe",
              word == 8 ? "-m64" : "-m32");
      try (ElfFile elf = ElfFile.open(library)) {
        SymbolTable symbols = elf.symbols(elf.section(".symtab").orElseThrow());
        assertThat(elf.usdtNotes())
            .containsExactly(
                new UsdtNote(
                    "shop",
                    "sold",
                    symbols.value(ElfFileTest.symbol(symbols, "probe")),
                    elf.section(".stapsdt.base").orElseThrow().elfAddress(),
                    symbols.value(ElfFileTest.symbol(symbols, "sold_semaphore")),
                    "-4@%edi 8@16(%rbp)"));
      }
    }
  }

  @Test
  void movesProbesWithTheirBase() {
    Path library =
        Fixtures.assemble("usdt-moved", source(8), "-nostdlib", "-no-pie", "-Wl,-e,probe");
    Path moved = Fixtures.file("usdt-moved.new");
    Fixtures.run(
        "objcopy",
        "--change-section-address",
        ".stapsdt.base+0x1000",
        library.toString(),
        moved.toString());
    try (ElfFile before = ElfFile.open(library);
        ElfFile after = ElfFile.open(moved)) {
      UsdtNote old = before.usdtNotes().getFirst();
      UsdtNote now = after.usdtNotes().getFirst();
      assertThat(now.elfAddress()).isEqualTo(old.elfAddress() + 0x1000);
      assertThat(now.semaphore()).isEqualTo(old.semaphore() + 0x1000);
      assertThat(now.base()).isEqualTo(old.base());
    }
  }

  @Test
  void readsGosBuildId() {
    Path go = Path.of("/usr/local/go/bin/go");
    org.junit.jupiter.api.Assumptions.assumeTrue(java.nio.file.Files.exists(go));
    try (ElfFile elf = ElfFile.open(go)) {
      String expected = Fixtures.run(go.toString(), "tool", "buildid", go.toString()).strip();
      assertThat(elf.goBuildId()).contains(expected);
    }
  }
}
