package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.error.UnsupportedException;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Probes give the same answer as trying the thing; on a new enough kernel that is mostly yes. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class FeatureTest {
  /** What a kernel can be built or locked down without. */
  private static boolean optional(Feature feature) {
    return switch (feature) {
      case KPROBE, UPROBE, KPROBE_MULTI, FENTRY -> true;
      default -> false;
    };
  }

  @ParameterizedTest
  @EnumSource
  void newEnoughKernelsHaveIt(Feature feature) {
    Root.isNeeded();
    boolean present = feature.present();
    assertThat(feature.present()).isEqualTo(present);
    if (!optional(feature)) {
      assertThat(present)
          .as(feature.what())
          .isEqualTo(KernelVersion.current().compareTo(KernelVersion.parse(feature.since())) >= 0);
    }
    if (present) {
      feature.require();
    } else {
      assertThatThrownBy(feature::require)
          .isInstanceOf(UnsupportedException.class)
          .hasMessageContaining(feature.what() + ": needs Linux " + feature.since())
          .hasMessageContaining(KernelVersion.current().toString());
    }
  }

  @Test
  void helpersByNumber() {
    Root.isNeeded();
    assertThat(FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 1)).as("bpf_map_lookup_elem").isTrue();
    assertThat(FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 60_000)).isFalse();
    // bpf_get_stackid_pe is there for everyone, bpf_skb_store_bytes not for probes.
    assertThat(FeatureProbes.helper(ProgramKind.TYPE_PERF_EVENT, 27)).isTrue();
    assertThat(FeatureProbes.helper(ProgramKind.TYPE_KPROBE, 9)).isFalse();
  }
}
