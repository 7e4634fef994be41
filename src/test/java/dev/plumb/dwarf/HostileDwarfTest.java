package dev.plumb.dwarf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Debug information that is made to cost time or memory. */
class HostileDwarfTest {
  private static final String START = ".text\n.globl _start\n_start: .rept 64\nnop\n.endr\nend:\n";

  /** What the unit's entry has in all of these: name, lines, code. */
  private static final String ROOT =
      """
      .section .debug_abbrev
      abbrev:
      .uleb128 1, 0x11; .byte 1
      .uleb128 3, 8, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0
      """;

  private static final String UNIT =
      """
      .section .debug_info
      info:
      .long infoend - . - 4
      .short 4
      .long abbrev
      .byte 8
      .uleb128 1
      .asciz "u"
      .long lines
      .quad _start, end - _start
      """;

  private static final String LINES =
      """
      .section .debug_line
      lines:
      .long linesend - . - 4
      .short 4
      .long program - . - 4
      .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
      .byte 0
      .asciz "f.c"
      .byte 0, 0, 0
      .byte 0
      program:
      .byte 0, 9, 2
      .quad _start
      """;

  private static final String LINES_END =
      """
      .byte 1
      .byte 2
      .uleb128 end - _start
      .byte 0, 1, 1
      linesend:
      """;

  private static Path assemble(String name, String source) {
    return Fixtures.assemble(name, source, "-nostdlib", "-static", "-Wl,--build-id=none");
  }

  private static List<SourceFrame> ask(Path file) {
    try (ElfFile elf = ElfFile.open(file)) {
      DebugInfo info = DebugInfo.of(elf);
      return info.frames(elf.section(".text").orElseThrow().elfAddress() + 5);
    }
  }

  private static List<SourceFrame> askSoon(Path file) {
    return assertTimeout(Duration.ofSeconds(30), () -> ask(file));
  }

  @Test
  void endsCirclesOfOrigins() {
    Path file =
        assemble(
            "hostile-circle",
            START
                + ROOT
                + ".uleb128 2, 0x2e; .byte 0; .uleb128 0x11, 1, 0x12, 7, 0x31, 0x13, 0x47, 0x13, 0, 0\n"
                + ".byte 0\n"
                + UNIT
                + "self: .uleb128 2\n.quad _start, end - _start\n.long self - info, self - info\n"
                + ".byte 0\ninfoend:\n"
                + LINES
                + LINES_END);
    assertThat(askSoon(file)).containsExactly(new SourceFrame("", "", "f.c", 1, false));
  }

  /** 100 000 functions that share a list of 100 000 ranges. */
  @Test
  void doesNotReadOneListForEver() {
    Path file =
        assemble(
            "hostile-ranges",
            START
                + ROOT
                + ".uleb128 2, 0x2e; .byte 0; .uleb128 0x55, 0x17, 3, 8, 0, 0\n.byte 0\n"
                + UNIT
                + ".rept 100000\n.uleb128 2\n.long ranges\n.asciz \"f\"\n.endr\n.byte 0\ninfoend:\n"
                + ".section .debug_ranges\nranges: .rept 100000\n.quad 1, 9\n.endr\n.quad 0, 0\n"
                + LINES
                + LINES_END);
    assertThat(askSoon(file)).first().extracting(SourceFrame::name).isEqualTo("f");
  }

  /** Functions inlined into each other, deeper than any compiler does. */
  @Test
  void boundsNesting() {
    String inlined = ".uleb128 2\n.quad _start, end - _start\n";
    Path file =
        assemble(
            "hostile-deep",
            START
                + ROOT
                + ".uleb128 2, 0x1d; .byte 1; .uleb128 0x11, 1, 0x12, 7, 0, 0\n.byte 0\n"
                + UNIT
                + ".rept 1000000\n"
                + inlined
                + ".endr\ninfoend:\n"
                + LINES
                + LINES_END);
    assertThat(askSoon(file)).hasSizeBetween(1, 512);
  }

  /** A line program that is all rows, and one of a range of 0. */
  @Test
  void boundsLinePrograms() throws IOException {
    Path file =
        assemble(
            "hostile-lines",
            START
                + ROOT
                + ".byte 0\n"
                + UNIT
                + ".byte 0\ninfoend:\n"
                + LINES
                + ".rept 5000000\n.byte 3, 1, 1\n.endr\n"
                + LINES_END);
    assertThat(askSoon(file)).hasSize(1).first().extracting(SourceFrame::line).isEqualTo(5_000_001);
    byte[] bytes = Files.readAllBytes(file);
    try (ElfFile elf = ElfFile.open(file);
        RandomAccessFile changed = new RandomAccessFile(copy(file, bytes).toFile(), "rw")) {
      // line_range, behind unit_length, version, header_length and four bytes
      changed.seek(elf.section(".debug_line").orElseThrow().fileOffset() + 14);
      changed.write(0);
    }
    assertThat(askSoon(Fixtures.file("hostile-lines-0"))).hasSize(1);
  }

  private static Path copy(Path file, byte[] bytes) throws IOException {
    return Files.write(Fixtures.file(file.getFileName() + "-0"), bytes);
  }

  /** Units that all start far behind in one long table of abbreviations. */
  @Test
  void doesNotReadAbbreviationsForEver() {
    Path file =
        assemble(
            "hostile-abbreviations",
            START
                + ".section .debug_abbrev\nabbrev:\n"
                + ".set i, 2\n.rept 200000\n.uleb128 i, 0x34; .byte 0, 0, 0\n.set i, i + 1\n.endr\n"
                + ".uleb128 1, 0x11; .byte 1\n.uleb128 0x11, 1, 0x12, 7, 0, 0\n.byte 0\n"
                + ".section .debug_info\n"
                + ".rept 20000\n.long 25\n.short 4\n.long abbrev\n.byte 8\n"
                + ".uleb128 1\n.quad _start, 64\n.byte 0\n.endr\n");
    assertThat(askSoon(file)).isEmpty();
  }

  /** Two units that take turns, and are too large to be kept together. */
  @Test
  void doesNotReadLargeUnitsForEveryAddress() {
    String unit = ".rept 200000\n.uleb128 2\n.quad low, 32\n.fill 100\n.endr\n.byte 0\n";
    Path file =
        assemble(
            "hostile-turns",
            START
                + ROOT
                + ".uleb128 2, 0x2e; .byte 0; .uleb128 0x11, 1, 0x12, 7\n"
                + ".rept 25\n.uleb128 3, 6\n.endr\n.uleb128 0, 0\n.byte 0\n"
                + UNIT.replace("end - _start", "32")
                + unit.replace("low", "_start")
                + "infoend:\n"
                + UNIT.replace("info", "more")
                    .replace("_start, end - _start", "_start + 32, 32")
                    .replace(".debug_more", ".debug_info")
                + unit.replace("low", "_start + 32")
                + "moreend:\n"
                + LINES
                + LINES_END);
    try (ElfFile elf = ElfFile.open(file)) {
      long start = elf.section(".text").orElseThrow().elfAddress();
      DebugInfo info = DebugInfo.of(elf, Optional.empty(), SplitFiles.NONE, UnitStore.NONE, 1000);
      assertTimeout(
          Duration.ofSeconds(40),
          () -> {
            int known = 0;
            for (int i = 0; i < 200; i++) {
              known += info.frames(start + i % 2 * 32).isEmpty() ? 0 : 1;
            }
            assertThat(known).isBetween(16, 180);
          });
    }
  }

  /** Somebody writes the file anew while it is mapped. */
  @Test
  void survivesTruncation() throws IOException {
    Path file = LineComparison.compile("gcc", "lines.c", "truncated", "-O2", "-g");
    try (ElfFile elf = ElfFile.open(file)) {
      List<Long> elfAddresses = LlvmSymbolizer.addresses(elf, 50, 1);
      DebugInfo info = DebugInfo.of(elf);
      DebugInfo other = DebugInfo.of(elf);
      assertThat(elfAddresses).anyMatch(a -> !info.frames(a).isEmpty());
      try (RandomAccessFile shorter = new RandomAccessFile(file.toFile(), "rw")) {
        shorter.setLength(0);
      }
      assertThat(elfAddresses).allMatch(a -> other.frames(a).isEmpty());
      assertThat(DebugInfo.of(elf).isEmpty()).isTrue();
    }
  }
}
