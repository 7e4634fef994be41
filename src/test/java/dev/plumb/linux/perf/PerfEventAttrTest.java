package dev.plumb.linux.perf;

import dev.plumb.testing.KernelStructure;
import org.junit.jupiter.api.Test;

/** The offsets and sizes that we use for the attribute, against the running kernel's types. */
class PerfEventAttrTest {
  @Test
  void isLaidOutAsTheKernels() throws Exception {
    KernelStructure.struct("perf_event_attr").assertHasFieldsOf(PerfEventAttr.Layout.class);
  }
}
