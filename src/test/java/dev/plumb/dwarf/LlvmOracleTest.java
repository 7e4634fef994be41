package dev.plumb.dwarf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.Fixtures;
import dev.plumb.elf.ElfFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The same answers as llvm-symbolizer, for random addresses of what real compilers make. */
class LlvmOracleTest {
  private static final Path SOURCES = Path.of("src/test/targets").toAbsolutePath();
  private static final int ADDRESSES = 1000;

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
    check(compile("g++", "lines.cc", "cpp3", "-O2", "-gdwarf-3", "-gstrict-dwarf"), 900);
  }

  @Test
  void knowsDwarf2() throws IOException {
    check(compile("g++", "lines.cc", "cpp2", "-O2", "-gdwarf-2", "-gstrict-dwarf"), 900);
  }

  @Test
  void knowsCompressedSections() throws IOException {
    check(compile("g++", "lines.cc", "cppz", "-O2", "-g", "-gz"), 900);
  }

  /** The old way, which llvm-symbolizer no longer reads. */
  @Test
  void knowsSectionsThatGnuCompressed() throws IOException {
    Path plain = compile("gcc", "lines.c", "plain", "-O2", "-g");
    Path packed = Fixtures.file("lines-packed");
    Fixtures.run(
        "objcopy", "--compress-debug-sections=zlib-gnu", plain.toString(), packed.toString());
    try (ElfFile elf = ElfFile.open(packed)) {
      assertThat(elf.section(".zdebug_info")).isPresent();
      compare(plain, elf, Optional.empty(), 700);
    }
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

  @Test
  void knowsRusts() throws IOException {
    check(compile("rustc", "lines.rs", "rust", "-O", "-g"), 500);
  }

  @Test
  void knowsGos() throws IOException {
    Path program = Fixtures.file("lines-go");
    Fixtures.run("go", "build", "-o", program.toString(), SOURCES.resolve("lines.go").toString());
    check(program, 900);
  }

  /** dwz moves what both have in common to a third file, which llvm-symbolizer does not read. */
  @Test
  void knowsWhatDwzMoved() throws IOException {
    Path first = compile("g++", "lines.cc", "dwz1", "-O2", "-g");
    Path second = compile("g++", "lines.cc", "dwz2", "-O3", "-g");
    Path smaller = Fixtures.file("lines-dwz1-smaller");
    Path smaller2 = Fixtures.file("lines-dwz2-smaller");
    Files.deleteIfExists(smaller);
    Files.deleteIfExists(smaller2);
    Files.copy(first, smaller);
    Files.copy(second, smaller2);
    Path common = Fixtures.file("lines-dwz-common");
    Fixtures.run(
        "dwz", "-m", common.toString(), "-M", "common", smaller.toString(), smaller2.toString());
    assertThat(Files.size(smaller)).isLessThan(Files.size(first));
    try (ElfFile elf = ElfFile.open(smaller);
        ElfFile other = ElfFile.open(common)) {
      assertThat(AlternateLink.of(elf).orElseThrow())
          .isEqualTo(new AlternateLink("common", other.buildId().orElseThrow()));
      assertThat(AlternateLink.of(other)).isEmpty();
      compare(first, elf, Optional.of(other), 900);
    }
    // Without it, names are missing; nothing else is.
    try (ElfFile elf = ElfFile.open(smaller)) {
      DebugInfo info = DebugInfo.of(elf);
      long main = elf.section(".text").orElseThrow().elfAddress();
      assertThat(info.isEmpty()).isFalse();
      assertThat(info.frames(main)).isNotNull();
    }
  }

  @Test
  void knowsSplitUnits() throws IOException {
    checkSplit(compile("g++", "lines.cc", "split5", "-O2", "-g", "-gsplit-dwarf"), "llvm-dwp-19");
    checkSplit(
        compile("clang-19", "lines.c", "splitclang5", "-O2", "-g", "-gsplit-dwarf"), "llvm-dwp-19");
    checkSplit(
        compile("clang-19", "lines.c", "splitclang4", "-O2", "-gdwarf-4", "-g", "-gsplit-dwarf"),
        "llvm-dwp-19");
    checkSplit(
        compile("gcc", "lines.c", "split4", "-O2", "-g", "-gdwarf-4", "-gsplit-dwarf"), "dwp");
  }

  /** One file a unit, then all in a package; without either, lines are left. */
  private static void checkSplit(Path program, String packager) throws IOException {
    List<String> opened = new ArrayList<>();
    Function<String, Optional<ElfFile>> opener =
        path -> {
          opened.add(path);
          return Optional.of(ElfFile.open(Path.of(path)));
        };
    try (ElfFile elf = ElfFile.open(program);
        SplitFiles split = new SplitFiles(Optional.empty(), opener)) {
      compare(program, elf, Optional.empty(), split, 700);
      assertThat(opened).hasSize(1).first().asString().endsWith(".dwo");
    }
    Path packed = Fixtures.file(program.getFileName() + ".dwp");
    Fixtures.run(packager, "-e", program.toString(), "-o", packed.toString());
    try (ElfFile elf = ElfFile.open(program);
        ElfFile dwp = ElfFile.open(packed);
        SplitFiles split = new SplitFiles(Optional.of(dwp), path -> Optional.empty())) {
      compare(program, elf, Optional.empty(), split, 700);
    }
    try (ElfFile elf = ElfFile.open(program)) {
      DebugInfo info = DebugInfo.of(elf);
      for (long elfAddress : LlvmSymbolizer.addresses(elf, 100, 42)) {
        for (SourceFrame frame : info.frames(elfAddress)) {
          assertThat(frame.name()).isEmpty();
          assertThat(frame.file()).isNotEmpty();
        }
      }
    }
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

  private static Path compile(String compiler, String source, String name, String... options) {
    Path program = Fixtures.file("lines-" + name);
    List<String> command = new ArrayList<>(List.of(compiler, SOURCES.resolve(source).toString()));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", program.toString()));
    Fixtures.run(command.toArray(String[]::new));
    return program;
  }

  private static void check(Path file, int leastKnown) throws IOException {
    try (ElfFile elf = ElfFile.open(file)) {
      compare(file, elf, Optional.empty(), leastKnown);
    }
  }

  private static void compare(
      Path oracleFile, ElfFile elf, Optional<ElfFile> alternate, int leastKnown)
      throws IOException {
    compare(oracleFile, elf, alternate, SplitFiles.NONE, leastKnown);
  }

  private static void compare(
      Path oracleFile, ElfFile elf, Optional<ElfFile> alternate, SplitFiles split, int leastKnown)
      throws IOException {
    List<Long> addresses = LlvmSymbolizer.addresses(elf, ADDRESSES, 42);
    List<List<String>> theirs = LlvmSymbolizer.answers(oracleFile, addresses);
    assertThat(theirs).hasSameSizeAs(addresses);
    DebugInfo info = DebugInfo.of(elf, alternate, split, 1 << 20);
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
