package dev.plumb.dwarf;

import static dev.plumb.dwarf.LineComparison.check;
import static dev.plumb.dwarf.LineComparison.compile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same answers as llvm-symbolizer, for random addresses of what real compilers make. */
class LlvmOracleTest {
  @Test
  void knowsGccsC() throws IOException {
    check(compile("gcc", "lines.c", "c5", "-O2", "-g"), 700);
  }

  @Test
  void knows64BitDwarf() throws IOException {
    check(compile("gcc", "lines.c", "c64", "-O2", "-g", "-gdwarf64"), 700);
  }

  @Test
  void knows32BitPrograms() throws IOException {
    check(compile("gcc", "lines.c", "c32", "-O2", "-g", "-m32"), 700);
  }

  @Test
  void knowsUnitsThatReferToEachOther() throws IOException {
    check(compile("gcc", "lines.c", "clto", "-O2", "-g", "-flto"), 700);
  }

  @Test
  void knowsGccsCpp() throws IOException {
    check(compile("g++", "lines.cc", "cpp5", "-O3", "-g"), 900);
  }

  @Test
  void knowsDwarf4() throws IOException {
    check(compile("g++", "lines.cc", "cpp4", "-O3", "-gdwarf-4", "-gstrict-dwarf"), 900);
  }

  @Test
  void knowsDwarf3() throws IOException {
    check(compile("gcc", "lines.c", "c3", "-O2", "-gdwarf-3", "-gstrict-dwarf"), 700);
  }

  @Test
  void knowsDwarf2() throws IOException {
    check(compile("g++", "lines.cc", "cpp2", "-O2", "-gdwarf-2", "-gstrict-dwarf"), 900);
  }

  @Test
  void knowsCompressedSections() throws IOException {
    check(compile("gcc", "lines.c", "cz", "-O2", "-g", "-gz"), 700);
  }

  @Test
  void knowsTypeUnitsAndLeftOutSections() throws IOException {
    check(
        compile(
            "g++",
            "lines.cc",
            "cpptypes",
            "-O2",
            "-g",
            "-fdebug-types-section",
            "-ffunction-sections",
            "-Wl,--gc-sections"),
        900);
  }

  @Test
  void knowsClangs() throws IOException {
    check(compile("clang++-19", "lines.cc", "clang5", "-O2", "-g"), 900);
    check(compile("clang-19", "lines.c", "clang4", "-O2", "-gdwarf-4"), 700);
  }

  /** Not linked: strings are all at offset 0, so names are not compared; lines are. */
  @Test
  void knowsBigEndianFiles() throws IOException {
    Path object =
        Fixtures.clang(
            "lines-mips.o",
            DwarfFuzzTest.SOURCE,
            "--target=mips-linux-gnu",
            "-c",
            "-O2",
            "-g",
            "-fno-pic");
    try (ElfFile elf = ElfFile.open(object)) {
      assertThat(elf.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
      List<Long> addresses = LlvmSymbolizer.addresses(elf, 200, 1);
      List<List<String>> theirs = LlvmSymbolizer.answersWithSymbols(object, addresses);
      DebugInfo info = DebugInfo.of(elf);
      for (int i = 0; i < addresses.size(); i++) {
        List<SourceFrame> frames = info.frames(addresses.get(i));
        assertThat(LlvmSymbolizer.text(frames).stream().map(LlvmOracleTest::place).toList())
            .isEqualTo(theirs.get(i).stream().map(LlvmOracleTest::place).toList());
        assertThat(frames).isNotEmpty();
      }
    }
  }

  private static String place(String frame) {
    return frame.substring(frame.lastIndexOf(' '));
  }

  @Test
  void knowsRusts() throws IOException {
    check(compile("rustc", "lines.rs", "rust", "-O", "-g"), 500);
  }

  @Test
  void knowsGos() throws IOException {
    Path program = Fixtures.file("lines-go");
    Fixtures.run(
        "go",
        "build",
        "-o",
        program.toString(),
        LineComparison.SOURCES.resolve("lines.go").toString());
    check(program, 900);
  }

  /** A distribution's: the C library's, from the package libc6-dbg. */
  @Test
  void knowsTheCLibrarys() throws IOException {
    String id;
    try (ElfFile elf = ElfFile.open(Path.of("/lib/x86_64-linux-gnu/libc.so.6").toRealPath())) {
      id = elf.buildId().orElseThrow();
    }
    Path debug =
        Path.of("/usr/lib/debug/.build-id", id.substring(0, 2), id.substring(2) + ".debug");
    assumeTrue(Files.exists(debug), "libc6-dbg is not installed");
    check(debug, 900);
  }
}
