package dev.plumb.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.cfi.CallFrames;
import dev.plumb.dwarf.cfi.FrameCounts;
import dev.plumb.dwarf.cfi.FrameRow;
import dev.plumb.dwarf.cfi.FrameVisitor;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import dev.plumb.testing.OwnTime;
import dev.plumb.unwind.rule.UnwindTable;
import dev.plumb.unwind.rule.UnwindTableTest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damages the call-frame information of real files: what is read of it stays in order. */
class FrameMutantsTest {
  private static final int MUTANTS = 80_000;
  private static final long MOST_NANOS = 2_000_000_000L;
  private static final String SOURCE =
      "int g(int *), h(int);\n"
          + "int f(int n) { int a[n]; a[0] = n; return g(a) + h(n); }\n"
          + "int k(int n) { int a[9] __attribute__((aligned(64))); return g(a) + h(n) + n; }\n";
  private static final String[] SMALL = {"-shared", "-fPIC", "-nostdlib", "-O2", "-mavx2"};
  private static final long[] NASTY = {
    0,
    1,
    4,
    0x0a,
    0x0b,
    0x0f,
    0x10,
    0x16,
    0x2e,
    0x3f,
    0x40,
    0x7f,
    0x80,
    0xc0,
    0xff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffffL,
    0x8000_0000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -8
  };

  private long bad;
  private long cut;
  private long rows;

  /** A file and the places in it that are damaged. */
  private record Seed(byte[] bytes, List<int[]> ranges) {}

  @Test
  void neverThrowsNorHangs() throws IOException {
    List<Seed> seeds = seeds();
    long start = System.nanoTime();
    for (int n = 0; n < MUTANTS; n++) {
      Seed seed = seeds.get(n % seeds.size());
      byte[] mutant = mutate(seed, new Random(n));
      long before = OwnTime.nanos();
      try {
        exercise(mutant);
      } catch (Throwable t) {
        throw new AssertionError("mutant " + n + " of seed " + n % seeds.size(), t);
      }
      assertThat(OwnTime.nanos() - before).as("mutant %d", n).isLessThan(MOST_NANOS);
    }
    System.out.printf(
        "%d mutants in %d ms: %d bad entries, %d cut, %d rows%n",
        MUTANTS, (System.nanoTime() - start) / 1_000_000, bad, cut, rows);
    assertThat(bad).isGreaterThan(MUTANTS / 10);
    assertThat(cut).isGreaterThan(MUTANTS / 100);
    assertThat(rows).isGreaterThan(2L * MUTANTS);
  }

  private static List<Seed> seeds() throws IOException {
    String[] noTables = {"-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"};
    Path eh = Fixtures.gcc("mutants-eh", SOURCE, with(SMALL));
    Path plt = Fixtures.gcc("mutants-static", SOURCE, with(SMALL, "-Wl,-z,lazy", "-fno-plt"));
    Path all =
        Fixtures.assemble("mutants-all", UnwindTableTest.assembler(), "-shared", "-nostdlib");
    Path debug = Fixtures.gcc("mutants-debug", SOURCE, with(SMALL, noTables));
    Path wide =
        Fixtures.gcc(
            "mutants-wide",
            SOURCE,
            with(with(SMALL, noTables), "-gdwarf64", "-fno-dwarf2-cfi-asm"));
    List<Seed> seeds = new ArrayList<>();
    for (Path path : List.of(eh, plt, all, debug, wide)) {
      byte[] bytes = Files.readAllBytes(path);
      List<int[]> ranges = ranges(bytes);
      seeds.add(new Seed(bytes, ranges));
      if (path.equals(eh)) {
        byte[] bare = bytes.clone();
        Arrays.fill(bare, 0x28, 0x30, (byte) 0); // e_shoff
        Arrays.fill(bare, 0x3c, 0x40, (byte) 0); // e_shnum, e_shstrndx
        seeds.add(new Seed(bare, ranges));
      }
    }
    return seeds;
  }

  private static List<int[]> ranges(byte[] bytes) {
    List<int[]> ranges = new ArrayList<>();
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "seed")) {
      for (Section section : elf.sections()) {
        if (section.size() > 0
            && List.of(".eh_frame", ".eh_frame_hdr", ".debug_frame").contains(section.name())) {
          ranges.add(new int[] {(int) section.fileOffset(), (int) section.size()});
        }
      }
    }
    assertThat(ranges).isNotEmpty();
    return ranges;
  }

  private static String[] with(String[] options, String... more) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static byte[] mutate(Seed seed, Random random) {
    byte[] mutant = seed.bytes.clone();
    int changes = 1 + random.nextInt(5);
    for (int i = 0; i < changes; i++) {
      int[] range = seed.ranges.get(random.nextInt(seed.ranges.size()));
      int at = range[0] + random.nextInt(range[1]);
      switch (random.nextInt(4)) {
        case 0 -> mutant[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> mutant[at] = (byte) random.nextInt(256);
        case 2 -> {
          long value = NASTY[random.nextInt(NASTY.length)];
          int width = 1 << random.nextInt(4);
          for (int b = 0; b < width && at + b < mutant.length; b++) {
            mutant[at + b] = (byte) (value >>> 8 * b);
          }
        }
        default -> {
          int from = range[0] + random.nextInt(range[1]);
          int length = Math.min(1 + random.nextInt(24), range[0] + range[1] - Math.max(from, at));
          System.arraycopy(seed.bytes, from, mutant, at, length);
        }
      }
    }
    return mutant;
  }

  private void exercise(byte[] bytes) {
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "mutant")) {
      FrameCounts counts = CallFrames.forEach(elf, new InOrder());
      bad += counts.badEntries();
      cut += counts.cut() ? 1 : 0;
      UnwindTable table = UnwindTables.of(elf).table();
      for (int i = 0; i < table.rows(); i++) {
        rows++;
        if (i > 0) {
          assertThat(table.elfAddress(i)).isGreaterThan(table.elfAddress(i - 1));
          assertThat(table.ruleNumber(i)).isNotEqualTo(table.ruleNumber(i - 1));
        }
        assertThat(table.ruleNumber(i)).isLessThan(table.rules());
      }
    } catch (ElfException e) {
      throw new AssertionError("the ELF file itself is whole", e);
    }
  }

  /** Rows follow each other from the start to the end of their function. */
  private static final class InOrder implements FrameVisitor {
    private final byte[] expression = new byte[16];
    private long next;
    private long end;

    @Override
    public boolean function(long elfStart, long elfEnd) {
      next = elfStart;
      end = elfEnd;
      return true;
    }

    @Override
    public void row(FrameRow row) {
      if (row.elfStart() != next
          || Long.compareUnsigned(row.elfEnd(), end) > 0
          || Long.compareUnsigned(row.elfEnd(), row.elfStart()) <= 0) {
        throw new AssertionError("rows in disorder");
      }
      next = row.elfEnd();
      for (int register = FrameRow.CFA; register < 17; register++) {
        row.expression(register, expression);
      }
    }

    @Override
    public void end(boolean whole) {
      if (whole && next != end) {
        throw new AssertionError("rows missing");
      }
    }
  }
}
