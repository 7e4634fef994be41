package dev.plumb.dwarf;

import static dev.plumb.dwarf.LineComparison.compare;
import static dev.plumb.dwarf.LineComparison.compile;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Debug information of which parts were moved or packed after it was compiled. */
class MovedDebugInfoTest {
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
        SplitFiles split = new SplitFiles(Optional::empty, opener)) {
      compare(program, elf, Optional.empty(), split, 700);
      assertThat(opened).hasSize(1).first().asString().endsWith(".dwo");
    }
    Path packed = Fixtures.file(program.getFileName() + ".dwp");
    Fixtures.run(packager, "-e", program.toString(), "-o", packed.toString());
    try (ElfFile elf = ElfFile.open(program);
        ElfFile dwp = ElfFile.open(packed);
        SplitFiles split = new SplitFiles(() -> Optional.of(dwp), path -> Optional.empty())) {
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
}
