package dev.plumb.linux;

import dev.plumb.testing.KernelStructure;
import org.junit.jupiter.api.Test;

/** The offsets and sizes that we use for the kernel's structures, against its own types. */
class StructureLayoutTest {
  @Test
  void statxIsLaidOutAsTheKernels() throws Exception {
    KernelStructure.struct("statx").assertHasFieldsOf(FileStatus.Statx.class);
  }

  @Test
  void schedAttrIsLaidOutAsTheKernels() throws Exception {
    KernelStructure.struct("sched_attr").assertHasFieldsOf(SchedulingCalls.SchedAttr.class);
  }
}
