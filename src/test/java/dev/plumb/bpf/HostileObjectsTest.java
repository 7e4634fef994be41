package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.Extern;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.ProgramLinker;
import dev.plumb.bpf.object.ProgramSpec;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged objects and types are refused by our own exceptions, soon, and without a system call. */
class HostileObjectsTest {
  private static final int[] WORDS = {
    0, 1, -1, 2, 3, 4, 7, 8, 16, 0x7fffffff, 0x80000000, 0xffff, 0x10000, 0x8000, 0xff, 0x40000000
  };

  private int answered;
  private int refused;

  private interface Victim {
    void feed(MemorySegment bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"first", "maps", "data", "functions", "externs", "core", "newer_types", "refused"})
  @Timeout(60)
  void objects(String name) throws IOException {
    byte[] object = Files.readAllBytes(TestObjects.compile(name));
    KernelTypes types =
        KernelTypes.of(TestObjects.types(TestObjects.compile("core_kernel", "-DKERNEL_ONE")));
    Victim victim = bytes -> linkAll(specOf(bytes), types);
    Random random = new Random(name.hashCode());
    // All over the file, then where the structure is: headers, types, relocations, symbols.
    mutants(object, 0, object.length, 300, random, victim);
    for (Section section : sections(object)) {
      boolean interesting =
          section.name().startsWith(".BTF")
              || section.name().startsWith(".rel")
              || section.type() == Section.SHT_SYMTAB
              || section.name().equals(".maps");
      if (interesting && !section.name().contains("debug") && section.size() > 0) {
        int from = (int) section.fileOffset();
        mutants(object, from, from + (int) section.size(), 120, random, victim);
      }
    }
    truncations(object, 100, random, victim);
    assertThat(refused).isGreaterThan(100);
    assertThat(answered).isPositive();
  }

  @Test
  @Timeout(60)
  void typesToRelocateBy() {
    CollectionSpec spec = TestObjects.spec("core");
    byte[] types = blob(TestObjects.types(TestObjects.compile("core_kernel", "-DKERNEL_ONE")));
    Random random = new Random(7);
    Victim victim = bytes -> linkAll(spec, KernelTypes.of(Btf.of(bytes)));
    mutants(types, 0, types.length, 1500, random, victim);
    mutants(types, 0, 24, 200, random, victim);
    truncations(types, 100, random, victim);
    assertThat(refused).isGreaterThan(100);
    assertThat(answered).isPositive();
  }

  private void mutants(byte[] good, int from, int to, int count, Random random, Victim victim) {
    for (int i = 0; i < count; i++) {
      byte[] bad = good.clone();
      int changes = 1 + random.nextInt(3);
      for (int j = 0; j < changes; j++) {
        int at = from + random.nextInt(to - from);
        switch (random.nextInt(3)) {
          case 0 -> bad[at] ^= (byte) (1 << random.nextInt(8));
          case 1 -> bad[at] = (byte) random.nextInt(256);
          default -> putWord(bad, at & ~3, WORDS[random.nextInt(WORDS.length)]);
        }
      }
      feed(bad, victim, i);
    }
  }

  private void truncations(byte[] good, int count, Random random, Victim victim) {
    for (int i = 0; i < count; i++) {
      feed(java.util.Arrays.copyOf(good, random.nextInt(good.length)), victim, i);
    }
  }

  private static void putWord(byte[] bytes, int at, int word) {
    for (int i = 0; i < 4 && at + i < bytes.length; i++) {
      bytes[at + i] = (byte) (word >>> i * 8);
    }
  }

  private void feed(byte[] bytes, Victim victim, int number) {
    try (Arena arena = Arena.ofConfined()) {
      victim.feed(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
      answered++;
    } catch (BpfException | ElfException e) {
      assertThat(e.getMessage()).isNotEmpty();
      refused++;
    } catch (RuntimeException | Error e) {
      throw new AssertionError("mutant " + number, e);
    }
  }

  private static CollectionSpec specOf(MemorySegment bytes) {
    try (ElfFile elf = ElfFile.of(bytes, "mutant")) {
      return CollectionSpec.of(elf);
    }
  }

  private static Iterable<Section> sections(byte[] object) {
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(object), "object")) {
      return elf.sections();
    }
  }

  private static byte[] blob(Btf types) {
    try (Arena arena = Arena.ofConfined()) {
      return new dev.plumb.bpf.btf.BtfWriter(types).toSegment(arena).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** All that happens to an object before the kernel sees it. */
  private static void linkAll(CollectionSpec spec, KernelTypes types) {
    ProgramLinker linker =
        new ProgramLinker(
            new CoreRelocator(spec.types(), types),
            new ProgramLinker.References() {
              @Override
              public int mapFd(MapSpec map) {
                return 3;
              }

              @Override
              public ProgramLinker.Resolved resolve(Extern extern) {
                return new ProgramLinker.Resolved.Missing();
              }
            });
    Consumer<ProgramSpec> link = program -> linker.link(program.code());
    spec.programs().values().forEach(link);
    try (Arena arena = Arena.ofConfined()) {
      spec.kernelTypes().toSegment(arena);
    }
    KernelConfig.map(spec.types(), spec.externs());
  }
}
