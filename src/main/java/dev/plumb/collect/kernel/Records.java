package dev.plumb.collect.kernel;

import dev.plumb.collect.options.StackOptions;

/**
 * Layouts of the ring buffer's records and numbers of the counters: {@code src/main/bpf/plumb.h} in
 * Java. A test reads the same numbers from the object's BTF.
 *
 * <pre>
 * stack_record   0 kind  4 tgid  8 id  16 process  24 time  32 kernel_frames  36 user_frames
 *                38 end  40 addresses: the user's, then the kernel's, leaf first
 * cpu_record     0 kind  4 cpu   8 time  16 tgid  20 tid  24 stack
 * offcpu_record  0 kind  4 cpu   8 time  16 tgid  20 tid  24 stack  32 duration  40 state
 *                44 waker_tgid  48 waker_tid  56 waker_stack
 * copy_record    0 kind  4 tgid  8 id  16 process  24 time  32 kernel_frames  36 bytes  40 pc
 *                48 sp  56 fp  64 bx  72 cx  80 di  88 absent  96 kernel addresses, as many as
 *                fit  1112 what lies on the stack
 * sum_key        0 stack  8 detail  16 tid  20 kind    (sums.h)
 * sum            0 count  8 value   16 extra
 * </pre>
 */
public final class Records {
  public static final int STACK = 1;
  public static final int CPU = 2;
  public static final int OFFCPU = 3;
  public static final int COPY = 4;
  public static final int RUNQ = 5;
  public static final int LOCK = 6;
  public static final int MEM = 7;
  public static final int IO = 8;
  public static final int READAHEAD = 9;
  public static final int PROBE = 10;
  public static final int BLOCK = 11;
  public static final int FAULT = 12;
  public static final int FORKS = 13;
  public static final int LOAD = 14;
  public static final int CACHE = 15;
  public static final int LIGHT = 16;
  public static final int KMEM = 17;

  public static final int KIND_OFFSET = 0;
  public static final int CPU_OFFSET = 4;
  public static final int TIME_OFFSET = 8;
  static final int TGID_OFFSET = 16;
  public static final int TID_OFFSET = 20;
  public static final int STACK_OFFSET = 24;
  static final int CPU_SIZE = 32;

  public static final int DURATION_OFFSET = 32;
  public static final int LENGTH_OFFSET = 32;
  public static final int STATE_OFFSET = 40;
  public static final int WAKER_TGID_OFFSET = 44;
  public static final int WAKER_TID_OFFSET = 48;
  public static final int WAKER_STACK_OFFSET = 56;
  public static final int OFFCPU_SIZE = 64;

  /**
   * Flag of a user address that is no return address: a signal interrupted there, or a landing pad
   * begins there.
   */
  public static final long INTERRUPTED = 1L << 63;

  public static final int STACK_TGID_OFFSET = 4;
  public static final int STACK_ID_OFFSET = 8;
  public static final int STACK_PROCESS_OFFSET = 16;
  public static final int STACK_TIME_OFFSET = 24;
  public static final int STACK_KERNEL_FRAMES_OFFSET = 32;
  public static final int STACK_USER_FRAMES_OFFSET = 36;
  public static final int STACK_END_OFFSET = 38;
  public static final int STACK_ADDRESSES_OFFSET = 40;

  public static final int COPY_BYTES_OFFSET = 36;

  /** Flag in the number of bytes: a function has just been entered. */
  public static final int COPY_AT_ENTRY = 1 << 31;

  public static final int COPY_PC_OFFSET = 40;
  public static final int COPY_SP_OFFSET = 48;
  public static final int COPY_FP_OFFSET = 56;
  public static final int COPY_BX_OFFSET = 64;
  public static final int COPY_CX_OFFSET = 72;
  public static final int COPY_DI_OFFSET = 80;
  public static final int COPY_AX_OFFSET = 88;

  /** A bitmap of the pages that could not be copied. */
  public static final int COPY_ABSENT_OFFSET = 96;

  public static final int COPY_PAGE_BITS = 12;
  public static final int COPY_KERNEL_OFFSET = 104;
  public static final int COPY_STACK_OFFSET = 1120;

  static final int SUM_DETAIL_OFFSET = 8;
  static final int SUM_TID_OFFSET = 16;
  static final int SUM_KIND_OFFSET = 20;
  static final int SUM_KEY_SIZE = 24;
  static final int SUM_SIZE = 24;

  public static final int MAX_KERNEL_FRAMES = 127;
  public static final int MAX_USER_FRAMES = StackOptions.MAX_USER_FRAMES;

  private Records() {}

  /** The same for a record that was copied to an array, which is faster if many fields are read. */
  public static long longAt(long[] words, int offset) {
    return words[offset >> 3];
  }

  public static int intAt(long[] words, int offset) {
    return (int) (words[offset >> 3] >>> ((offset & 4) << 3));
  }
}
