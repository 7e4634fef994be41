package dev.plumb.bpf;

import static dev.plumb.linux.KernelField.u32;
import static dev.plumb.linux.KernelField.u64;

import dev.plumb.linux.KernelField;

/**
 * What OBJ_GET_INFO_BY_FD answers, one nested class for each structure. A kernel that does not know
 * a field leaves it zero. {@code BpfAttrTest} compares the fields with the running kernel's types.
 */
final class BpfInfo {
  private BpfInfo() {}

  /** {@code struct bpf_prog_info}. */
  static final class ProgramInfo {
    static final int SIZE = 232;
    static final KernelField ID = u32("id", 4);
    static final KernelField RUN_NANOS = u64("run_time_ns", 192);
    static final KernelField RUNS = u64("run_cnt", 200);
    static final KernelField MISSED_RUNS = u64("recursion_misses", 208);
    static final KernelField VERIFIED_INSTRUCTIONS = u32("verified_insns", 216); // since 5.16

    private ProgramInfo() {}
  }

  /** {@code struct bpf_btf_info}. */
  static final class BtfInfo {
    static final int SIZE = 32;
    static final KernelField NAME = u64("name", 16);
    static final KernelField NAME_LENGTH = u32("name_len", 24);
    static final KernelField IS_KERNELS = u32("kernel_btf", 28); // since 5.11

    private BtfInfo() {}
  }
}
