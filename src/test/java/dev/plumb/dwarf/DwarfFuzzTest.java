package dev.plumb.dwarf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import dev.plumb.testing.OwnTime;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Damages debug information in many ways: every question is answered, soon. */
class DwarfFuzzTest {
  private static final int MUTANTS = 60_000;
  private static final long MOST_NANOS = 2_000_000_000L;
  private static final int[] NASTY = {0, 1, 2, 0x7f, 0x80, 0xff, 0xfe, 0x16, 0x21, 0x55, 0x40};

  /** Every form and shape of names, ranges and lines that the compilers have. */
  static final String SOURCE =
      """
      static volatile int sink;
      struct pair { int a, b; };
      static inline __attribute__((always_inline)) int twice(int x) { sink = x; return x * 2; }
      static inline __attribute__((always_inline)) int four(struct pair p) {
        if (p.a > 3) { sink++; return twice(p.b); }
        return twice(twice(p.a));
      }
      __attribute__((noinline)) static int cold(int x) { sink = x + 1; return four((struct pair){x, 2}); }
      int other(int x) { for (int i = 0; i < x; i++) sink += twice(i); return cold(x); }
      int _start(void) { return other(sink) + four((struct pair){sink, 1}); }
      """;

  /** What the damaged file is: all there is, or where the compiler put the entries of units. */
  private enum Kind {
    WHOLE,
    DWO,
    DWP
  }

  /**
   * @param main the program, if it is another file that is damaged
   */
  private record Seed(
      Kind kind, byte[] bytes, List<Section> sections, List<Long> elfAddresses, byte[] main) {}

  @Test
  void alwaysAnswers() throws IOException {
    List<Seed> seeds = seeds();
    List<List<List<SourceFrame>>> right =
        seeds.stream().map(seed -> ask(seed.bytes(), seed)).toList();
    long answers = 0;
    long different = 0;
    long slowest = 0;
    long start = System.nanoTime();
    for (int n = 0; n < MUTANTS; n++) {
      Seed seed = seeds.get(n % seeds.size());
      byte[] mutant = mutate(seed, new Random(n));
      long before = OwnTime.nanos();
      try {
        List<List<SourceFrame>> frames = ask(mutant, seed);
        answers += frames.stream().filter(f -> !f.isEmpty()).count();
        different += frames.equals(right.get(n % seeds.size())) ? 0 : 1;
      } catch (Throwable t) {
        throw new AssertionError("mutant " + n + " of seed " + n % seeds.size(), t);
      }
      slowest = Math.max(slowest, OwnTime.nanos() - before);
    }
    System.out.printf(
        "%d mutants in %d ms, the slowest %d us: %d answers, %d mutants with others%n",
        MUTANTS, (System.nanoTime() - start) / 1_000_000, slowest / 1000, answers, different);
    assertThat(slowest).isLessThan(MOST_NANOS);
    assertThat(answers).isGreaterThan(MUTANTS);
    // The damage is where it matters.
    assertThat(different).isGreaterThan(MUTANTS / 5);
  }

  private static List<List<SourceFrame>> ask(byte[] bytes, Seed seed) {
    List<List<SourceFrame>> all = new ArrayList<>();
    try (ElfFile mutant = ElfFile.of(MemorySegment.ofArray(bytes), "mutant");
        ElfFile main = ElfFile.of(MemorySegment.ofArray(seed.main()), "main");
        SplitFiles split =
            new SplitFiles(
                () -> seed.kind() == Kind.DWP ? Optional.of(mutant) : Optional.empty(),
                path -> seed.kind() == Kind.DWO ? Optional.of(mutant) : Optional.empty())) {
      ElfFile elf = seed.kind() == Kind.WHOLE ? mutant : main;
      AlternateLink.of(elf);
      DebugInfo info = DebugInfo.of(elf, Optional.of(elf), split, UnitStore.NONE, 1 << 16);
      for (long elfAddress : seed.elfAddresses()) {
        all.add(info.frames(elfAddress));
      }
    } catch (ElfException e) {
      // Only the sections' contents were changed.
      throw new AssertionError(e);
    }
    return all;
  }

  private static List<Seed> seeds() throws IOException {
    List<Seed> seeds = new ArrayList<>();
    String[] small = {"-nostdlib", "-O2", "-fno-asynchronous-unwind-tables"};
    seeds.add(seed(Fixtures.gcc("lines-fuzz5", SOURCE, with(small, "-g"))));
    seeds.add(seed(Fixtures.gcc("lines-fuzz4", SOURCE, with(small, "-gdwarf-4"))));
    seeds.add(
        seed(Fixtures.gcc("lines-fuzz2", SOURCE, with(small, "-gdwarf-2", "-gstrict-dwarf"))));
    seeds.add(seed(Fixtures.gcc("lines-fuzz64", SOURCE, with(small, "-g", "-gdwarf64"))));
    seeds.add(seed(Fixtures.gcc("lines-fuzz32", SOURCE, with(small, "-g", "-m32"))));
    seeds.add(seed(Fixtures.clang("lines-fuzzclang", SOURCE, with(small, "-g"))));
    addSplit(seeds, "clang4", with(small, "-g", "-gdwarf-4", "-gsplit-dwarf"));
    addSplit(seeds, "clang5", with(small, "-g", "-gsplit-dwarf"));
    Path alternate = Fixtures.file("lines-fuzzalt");
    Path one = Fixtures.gcc("lines-fuzzdwz1", SOURCE, with(small, "-g"));
    Path two = Fixtures.gcc("lines-fuzzdwz2", SOURCE, with(small, "-g", "-fno-pic"));
    Fixtures.run("dwz", "-m", alternate.toString(), one.toString(), two.toString());
    seeds.add(seed(one));
    return seeds;
  }

  private static String[] with(String[] options, String... more) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** A program whose entries are elsewhere, and that file alone and packed. */
  private static void addSplit(List<Seed> seeds, String name, String... options)
      throws IOException {
    Path program = Fixtures.clang("lines-fuzz" + name, SOURCE, options);
    seeds.add(seed(program));
    Path dwo;
    try (ElfFile elf = ElfFile.open(program)) {
      DwarfFile file = new DwarfFile(DwarfSections.of(elf), Optional.empty());
      dwo = Fixtures.file(file.unit(0).dwoName());
    }
    Path dwp = Fixtures.file("lines-fuzz" + name + ".dwp");
    Fixtures.run("llvm-dwp-19", "-e", program.toString(), "-o", dwp.toString());
    seeds.add(seed(Kind.DWO, dwo, program));
    seeds.add(seed(Kind.DWP, dwp, program));
  }

  private static Seed seed(Path file) throws IOException {
    return seed(Kind.WHOLE, file, file);
  }

  private static Seed seed(Kind kind, Path file, Path main) throws IOException {
    List<Section> sections;
    try (ElfFile elf = ElfFile.open(file)) {
      sections =
          elf.sections().stream()
              .filter(s -> s.name().startsWith(".debug_") || s.name().equals(".gnu_debugaltlink"))
              .filter(s -> s.size() > 0)
              .toList();
    }
    assertThat(sections).hasSizeGreaterThan(2);
    try (ElfFile elf = ElfFile.open(main)) {
      Seed seed =
          new Seed(
              kind,
              Files.readAllBytes(file),
              sections,
              LlvmSymbolizer.addresses(elf, 6, 3),
              Files.readAllBytes(main));
      assertThat(ask(seed.bytes(), seed))
          .anyMatch(frames -> frames.size() > 1 || kind == Kind.WHOLE);
      return seed;
    }
  }

  private static byte[] mutate(Seed seed, Random random) {
    byte[] mutant = seed.bytes().clone();
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      Section section = seed.sections().get(random.nextInt(seed.sections().size()));
      int size = (int) section.size();
      // Headers are few bytes, and all hangs on them.
      int into = random.nextInt(random.nextInt(3) == 0 ? Math.min(size, 64) : size);
      int at = (int) section.fileOffset() + into;
      switch (random.nextInt(4)) {
        case 0 -> mutant[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> mutant[at] = (byte) NASTY[random.nextInt(NASTY.length)];
        case 2 -> mutant[at] = (byte) random.nextInt();
        default -> {
          byte filler = (byte) (random.nextBoolean() ? 0xff : random.nextInt());
          for (int j = 0; j < Math.min(8, size - into); j++) {
            mutant[at + j] = filler;
          }
        }
      }
    }
    return mutant;
  }
}
