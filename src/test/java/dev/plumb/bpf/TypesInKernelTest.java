package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.BtfWriter;
import dev.plumb.bpf.btf.SimplerTypes;
import dev.plumb.linux.Fd;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The types that we give to the kernel are types that it takes, also after taking parts out. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class TypesInKernelTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "first",
        "maps",
        "data",
        "functions",
        "externs",
        "kinds",
        "core",
        "newer_types",
        "refused"
      })
  void allOfItIsTaken(String name) {
    Root.isNeeded();
    try (TypesInKernel types = TypesInKernel.load(TestObjects.spec(name).kernelTypes())) {
      assertThat(types.problem()).isEmpty();
      assertThat(types.fd()).isPositive();
    }
  }

  @Test
  void thisKernelTakesWhatItsVersionSays() {
    Root.isNeeded();
    Set<SimplerTypes.Part> refused = TypesInKernel.refusedParts();
    KernelVersion version = KernelVersion.current();
    assertThat(refused.contains(SimplerTypes.Part.FLOAT)).isEqualTo(!version.isAtLeast(5, 13));
    assertThat(refused.contains(SimplerTypes.Part.DECL_TAG)).isEqualTo(!version.isAtLeast(5, 16));
    assertThat(refused.contains(SimplerTypes.Part.TYPE_TAG)).isEqualTo(!version.isAtLeast(5, 17));
    assertThat(refused.contains(SimplerTypes.Part.ENUM64)).isEqualTo(!version.isAtLeast(6, 0));
    assertThat(refused).doesNotContain(SimplerTypes.Part.GLOBAL_FUNCTION);
  }

  @ParameterizedTest
  @EnumSource
  void partsCanBeTakenOut(SimplerTypes.Part part) {
    Root.isNeeded();
    Btf simpler = without(EnumSet.of(part));
    assertThat(kinds(simpler)).doesNotContain(kindOf(part));
  }

  @Test
  void allPartsCanBeTakenOut() {
    Root.isNeeded();
    Btf full;
    try (Arena arena = Arena.ofConfined()) {
      full = Btf.of(TestObjects.spec("newer_types").kernelTypes().toSegment(arena));
    }
    assertThat(kinds(full))
        .contains(BtfKind.FLOAT, BtfKind.DECL_TAG, BtfKind.TYPE_TAG, BtfKind.ENUM64);
    Btf simpler = without(EnumSet.allOf(SimplerTypes.Part.class));
    assertThat(kinds(simpler))
        .doesNotContain(BtfKind.FLOAT, BtfKind.DECL_TAG, BtfKind.TYPE_TAG, BtfKind.ENUM64);
    for (int id = 1; id < full.count(); id++) {
      if (full.kind(id) == BtfKind.STRUCT) {
        assertThat(simpler.describe(id)).isEqualTo(full.describe(id));
      }
      if (simpler.kind(id) == BtfKind.ENUM) {
        assertThat(simpler.flag(id)).isFalse();
      }
      if (simpler.kind(id) == BtfKind.FUNC) {
        assertThat(simpler.linkage(id)).isZero();
      }
    }
  }

  /** The object's types without some, checked by the kernel. */
  private static Btf without(Set<SimplerTypes.Part> parts) {
    parts.addAll(TypesInKernel.refusedParts());
    try (Arena arena = Arena.ofConfined()) {
      Btf full = Btf.of(TestObjects.spec("newer_types").kernelTypes().toSegment(arena));
      BtfWriter simpler = SimplerTypes.without(new BtfWriter(full), parts);
      MemorySegment blob = simpler.toSegment(arena);
      MemorySegment log = arena.allocate(1 << 16);
      long result = BpfCalls.tryBtfLoad(blob, log);
      assertThat(result).as(log.getString(0)).isPositive();
      new Fd((int) result).close();
      return Btf.of(blob);
    }
  }

  private static int kindOf(SimplerTypes.Part part) {
    return switch (part) {
      case FLOAT -> BtfKind.FLOAT;
      case DECL_TAG -> BtfKind.DECL_TAG;
      case TYPE_TAG -> BtfKind.TYPE_TAG;
      case ENUM64 -> BtfKind.ENUM64;
      case GLOBAL_FUNCTION -> BtfKind.VOID;
    };
  }

  private static Set<Integer> kinds(Btf btf) {
    Set<Integer> kinds = new HashSet<>();
    for (int id = 1; id < btf.count(); id++) {
      kinds.add(btf.kind(id));
    }
    return kinds;
  }
}
