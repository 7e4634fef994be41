package dev.plumb.bpf.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.TestObjects;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.elf.ElfFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What is read from an object file, without a kernel. */
class CollectionSpecTest {
  private final CollectionSpec spec = TestObjects.spec("spec");

  @Test
  void maps() {
    MapSpec arena = spec.map("arena");
    assertThat(arena.type()).isEqualTo(MapType.ARENA);
    assertThat(arena.extra()).isEqualTo(1L << 44);
    assertThat(arena.flags()).isEqualTo(MapSpec.F_MMAPABLE);
    MapSpec plain = spec.map("plain");
    assertThat(plain.type()).isEqualTo(MapType.HASH);
    assertThat(plain.maxEntries()).isEqualTo(7);
    assertThat(plain.keySize()).isEqualTo(8);
    assertThat(plain.valueSize()).isEqualTo(16);
    assertThat(spec.types().describe(plain.valueType())).startsWith("const ");
    assertThat(plain.maxEntries(9).keySize(4).valueSize(2).flags(1).numaNode(1).maxEntries())
        .isEqualTo(9);
    assertThat(plain.flags()).isEqualTo(1 | MapSpec.F_NUMA_NODE);
    assertThatThrownBy(() -> spec.map("nonsense"))
        .isInstanceOf(BpfException.class)
        .hasMessageStartingWith("there is no map nonsense, only [")
        .hasMessageContaining("arena");
  }

  @Test
  void programs() {
    ProgramSpec optional = spec.program("optional");
    assertThat(optional.autoload()).isFalse();
    assertThat(optional.section()).isEqualTo("kprobe.multi/a*");
    assertThat(optional.attachTarget()).isEqualTo("a*");
    assertThat(optional.attachTarget("b").attachTarget()).isEqualTo("b");
    assertThat(optional.kind().attachType()).isEqualTo(ProgramKind.ATTACH_KPROBE_MULTI);
    ProgramSpec sleepable = spec.program("sleepable");
    assertThat(sleepable.autoload()).isTrue();
    assertThat(sleepable.kind().sleepable()).isTrue();
    assertThat(sleepable.type()).isEqualTo(ProgramKind.TYPE_KPROBE);
    assertThat(sleepable.attachTarget()).isEqualTo("/usr/lib/libc.so.6:malloc");
    ProgramSpec unknown = spec.program("unknown");
    assertThat(unknown.type()).isZero();
    assertThatThrownBy(unknown::kind).hasMessageContaining("something/else");
    assertThat(spec.programs()).containsOnlyKeys("optional", "sleepable", "unknown");
    assertThat(spec.license()).isEqualTo("Dual MIT/GPL");
    assertThat(spec.version()).isEqualTo(0x60102);
  }

  @Test
  void mapsOfMapsAndPrograms() {
    CollectionSpec maps = TestObjects.spec("maps");
    MapSpec outer = maps.map("outer");
    assertThat(outer.inner().orElseThrow().valueSize()).isEqualTo(8);
    assertThat(outer.slots()).containsEntry(0, "one").containsEntry(2, "two").hasSize(2);
    assertThat(maps.map("outer_hash").inner().orElseThrow().maxEntries()).isEqualTo(8);
    assertThat(maps.map("outer_hash").slots()).isEmpty();
    assertThat(maps.map("programs").slots()).containsEntry(1, "tail").hasSize(1);
    assertThat(maps.map("ring").maxEntries()).isEqualTo(5000);
    assertThat(maps.map("bloom").extra()).isEqualTo(3);
  }

  @Test
  void variables() {
    CollectionSpec data = TestObjects.spec("data");
    assertThat(data.variables())
        .containsKeys("small", "origin", "hidden", "custom", "counter", "private_sum", "sums");
    assertThat(data.variable("origin").size()).isEqualTo(12);
    assertThat(data.map(".rodata").isFrozen()).isTrue();
    assertThat(data.map(".rodata.custom").isFrozen()).isTrue();
    assertThat(data.map(".data").isFrozen()).isFalse();
    assertThat(data.map(".bss").contents().orElseThrow()).containsOnly(0);
  }

  @Test
  void otherFilesAreRefused() {
    try (ElfFile java = ElfFile.open(Path.of(System.getProperty("java.home"), "bin", "java"))) {
      assertThatThrownBy(() -> CollectionSpec.of(java))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("is not a little-endian BPF object");
    }
    byte[] bytes = new byte[64];
    assertThatThrownBy(() -> CollectionSpec.of(ElfFile.of(MemorySegment.ofArray(bytes), "zeros")))
        .hasMessageContaining("zeros");
    Path stripped = TestObjects.compile("spec", "-g0");
    try (ElfFile elf = ElfFile.open(stripped)) {
      assertThatThrownBy(() -> CollectionSpec.of(elf))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("has no BTF; compile it with -g");
    }
  }
}
