package dev.plumb.elf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Damages real files in many ways: every method answers or throws {@link ElfException}. */
class ElfFuzzTest {
  private static final int MUTANTS = 220_000;
  private static final long[] NASTY = {
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0xff,
    0x100,
    0xffff,
    0x10000,
    0x7fff_ffff,
    0x8000_0000L,
    0xffff_fff0L,
    0xffff_ffffL,
    0x1_0000_0000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -8,
    -64
  };

  private long answers;
  private long refusals;

  /** On a thread of its own: an exception takes the longer the more callers there are. */
  @Test
  void neverThrowsAnythingElse() throws Exception {
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      thread.submit(this::exerciseMutants).get();
    }
  }

  private Void exerciseMutants() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (Path file : seeds()) {
      seeds.add(Files.readAllBytes(file));
    }
    long start = System.nanoTime();
    for (int n = 0; n < MUTANTS; n++) {
      byte[] original = seeds.get(n % seeds.size());
      byte[] mutant = mutate(original, new Random(n));
      try {
        exercise(mutant);
      } catch (Throwable t) {
        throw new AssertionError("mutant " + n + " of seed " + n % seeds.size(), t);
      }
    }
    System.out.printf(
        "%d mutants in %d ms: %d answers, %d refusals%n",
        MUTANTS, (System.nanoTime() - start) / 1_000_000, answers, refusals);
    assertThat(answers).isGreaterThan(MUTANTS);
    assertThat(refusals).isGreaterThan(MUTANTS / 10);
    return null;
  }

  /** The decompressors are not ours; what they throw must still be ours. */
  @Test
  void survivesDamagedCompressedBytes() throws IOException {
    for (Path file : seeds().subList(8, 11)) {
      byte[] original = Files.readAllBytes(file);
      List<Section> compressed = new ArrayList<>();
      try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(original), "original")) {
        elf.sections().stream()
            .filter(
                s -> s.name().startsWith(".zdebug_") || (s.flags() & Section.SHF_COMPRESSED) != 0)
            .forEach(compressed::add);
      }
      assertThat(compressed).isNotEmpty();
      for (int n = 0; n < 6_000; n++) {
        Random random = new Random(n);
        byte[] mutant = original.clone();
        Section section = compressed.get(n % compressed.size());
        for (int i = 0; i < 1 + n % 5; i++) {
          int at = (int) section.fileOffset() + 12 + random.nextInt((int) section.size() - 12);
          mutant[at] = (byte) (random.nextBoolean() ? 0xff : random.nextInt());
        }
        try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(mutant), "mutant")) {
          answer(() -> touch(elf.data(section)));
        }
      }
    }
    assertThat(refusals).isGreaterThan(6_000);
  }

  private static List<Path> seeds() {
    String source =
        "int table[3] = {1};\nstatic int f(int x) { return x + table[1]; }\n"
            + "int _start(void) { return f(2); }\n";
    String[] small = {"-nostdlib", "-Wl,-z,noseparate-code", "-Wl,--build-id=0xabcdef"};
    Path debug = Fixtures.gcc("fuzz-debug.o", source, "-g", "-c");
    Path zlib = Fixtures.file("fuzz-zlib.o");
    Path zstd = Fixtures.file("fuzz-zstd.o");
    Path old = Fixtures.file("fuzz-old.o");
    Fixtures.run("objcopy", "--compress-debug-sections=zlib", debug.toString(), zlib.toString());
    Fixtures.run("objcopy", "--compress-debug-sections=zlib-gnu", debug.toString(), old.toString());
    Fixtures.run(
        "llvm-objcopy-19", "--compress-debug-sections=zstd", debug.toString(), zstd.toString());
    return List.of(
        Fixtures.gcc("fuzz64", source, with(small, "-pie", "-fPIC")),
        Fixtures.gcc("fuzz32", source, with(small, "-m32", "-no-pie", "-fno-pic")),
        Fixtures.gcc("fuzz64.so", source, with(small, "-shared", "-fPIC", "-Wl,-soname=fuzz.so")),
        Fixtures.clang("fuzz-mips.o", source, "--target=mips-linux-gnu", "-c", "-O1"),
        Fixtures.clang("fuzz-ppc64.o", source, "--target=powerpc64-linux-gnu", "-c", "-O1"),
        Fixtures.clang("fuzz-bpf.o", source, "--target=bpf", "-c", "-O1", "-g"),
        Fixtures.assemble("fuzz-usdt64.o", UsdtTest.source(8), "-c"),
        Fixtures.assemble("fuzz-usdt32.o", UsdtTest.source(4), "-c", "-m32"),
        zlib,
        zstd,
        old);
  }

  private static String[] with(String[] options, String... more) {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static byte[] mutate(byte[] original, Random random) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return java.util.Arrays.copyOf(original, random.nextInt(original.length));
    }
    byte[] mutant = original.clone();
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      switch (kind) {
        case 1, 2 -> flipBit(mutant, random.nextInt(mutant.length), random);
        case 3, 4 -> flipBit(mutant, random.nextInt(64), random);
        case 5, 6 -> overwrite(mutant, 16 + random.nextInt(48), random);
        case 7, 8 -> overwrite(mutant, headers(mutant, random), random);
        default -> overwrite(mutant, random.nextInt(mutant.length), random);
      }
    }
    return mutant;
  }

  private static void flipBit(byte[] bytes, int at, Random random) {
    bytes[at] ^= (byte) (1 << random.nextInt(8));
  }

  /** A place within the section headers, or within the program headers. */
  private static int headers(byte[] bytes, Random random) {
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "mutant")) {
      int at = bytes.length - elf.sections().size() * (elf.is64() ? 64 : 40);
      if (!elf.segments().isEmpty() && random.nextBoolean()) {
        at = elf.is64() ? 64 : 52;
      }
      return Math.min(bytes.length - 1, Math.max(0, at) + random.nextInt(1024));
    } catch (ElfException e) {
      return random.nextInt(bytes.length);
    }
  }

  private static void overwrite(byte[] bytes, int at, Random random) {
    long value = random.nextInt(4) == 0 ? random.nextLong() : NASTY[random.nextInt(NASTY.length)];
    int width = 1 << random.nextInt(4);
    for (int i = 0; i < width && at + i < bytes.length; i++) {
      int shift = bytes[5] == 2 ? width - 1 - i : i;
      bytes[at + i] = (byte) (value >>> 8 * shift);
    }
  }

  private void exercise(byte[] bytes) {
    ElfFile opened;
    try {
      opened = ElfFile.of(MemorySegment.ofArray(bytes), "mutant");
    } catch (ElfException e) {
      refusals++;
      return;
    }
    try (ElfFile elf = opened) {
      answer(() -> elf.type() + elf.machine() + elf.entryPoint() + " " + elf.order());
      answer(elf::notes);
      answer(elf::buildId);
      answer(elf::goBuildId);
      answer(elf::usdtNotes);
      answer(elf::dynamic);
      answer(() -> elf.section(".debug_info"));
      answer(() -> elf.elfAddressAt(0x100));
      answer(() -> exerciseSegments(elf));
      answer(() -> exerciseSections(elf));
    }
  }

  private boolean exerciseSegments(ElfFile elf) {
    for (int i = 0; i < Math.min(200, elf.segments().size()); i++) {
      Segment segment = elf.segments().get(i);
      answer(() -> touch(elf.data(segment)));
    }
    return true;
  }

  private boolean exerciseSections(ElfFile elf) {
    for (int i = 0; i < Math.min(200, elf.sections().size()); i++) {
      Section section = elf.sections().get(i);
      answer(() -> touch(elf.data(section)));
      if (i < 2 || section.type() == Section.SHT_SYMTAB || section.type() == Section.SHT_DYNSYM) {
        answer(() -> exerciseSymbols(elf.symbols(section)));
      }
    }
    return true;
  }

  private boolean exerciseSymbols(SymbolTable symbols) {
    answer(
        () -> {
          symbols.forEachDefined((symbol, name, value, size, type, binding, section) -> {});
          return true;
        });
    for (int i = 0; i < Math.min(200, symbols.size()); i++) {
      int symbol = i;
      answer(() -> symbols.name(symbol));
      answer(() -> symbols.section(symbol));
      symbols.isReservedSection(i);
      symbols.value(i);
      symbols.size(i);
      symbols.type(i);
      symbols.binding(i);
      symbols.visibility(i);
    }
    return true;
  }

  private static int touch(MemorySegment segment) {
    return segment.byteSize() == 0
        ? 0
        : segment.get(ValueLayout.JAVA_BYTE, 0)
            + segment.get(ValueLayout.JAVA_BYTE, segment.byteSize() - 1);
  }

  private void answer(Supplier<?> question) {
    try {
      question.get();
      answers++;
    } catch (ElfException e) {
      refusals++;
    }
  }
}
