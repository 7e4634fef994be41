package dev.plumb.collect;

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
final class Records {
  static final int STACK = 1;
  static final int CPU = 2;
  static final int OFFCPU = 3;
  static final int COPY = 4;
  static final int RUNQ = 5;
  static final int LOCK = 6;
  static final int MEM = 7;
  static final int IO = 8;
  static final int READAHEAD = 9;
  static final int PROBE = 10;
  static final int BLOCK = 11;
  static final int FAULT = 12;
  static final int FORKS = 13;
  static final int LOAD = 14;
  static final int CACHE = 15;
  static final int LIGHT = 16;
  static final int KMEM = 17;

  static final int KIND_OFFSET = 0;
  static final int CPU_OFFSET = 4;
  static final int TIME_OFFSET = 8;
  static final int TGID_OFFSET = 16;
  static final int TID_OFFSET = 20;
  static final int STACK_OFFSET = 24;
  static final int CPU_SIZE = 32;

  static final int DURATION_OFFSET = 32;
  static final int LENGTH_OFFSET = 32;
  static final int STATE_OFFSET = 40;
  static final int WAKER_TGID_OFFSET = 44;
  static final int WAKER_TID_OFFSET = 48;
  static final int WAKER_STACK_OFFSET = 56;
  static final int OFFCPU_SIZE = 64;

  /** In an address of user code that is no return address: a signal interrupted there. */
  static final long INTERRUPTED = 1L << 63;

  static final int STACK_TGID_OFFSET = 4;
  static final int STACK_ID_OFFSET = 8;
  static final int STACK_PROCESS_OFFSET = 16;
  static final int STACK_TIME_OFFSET = 24;
  static final int STACK_KERNEL_FRAMES_OFFSET = 32;
  static final int STACK_USER_FRAMES_OFFSET = 36;
  static final int STACK_END_OFFSET = 38;
  static final int STACK_ADDRESSES_OFFSET = 40;

  static final int COPY_BYTES_OFFSET = 36;

  /** In the number of bytes: a function has just been entered. */
  static final int COPY_AT_ENTRY = 1 << 31;

  static final int COPY_PC_OFFSET = 40;
  static final int COPY_SP_OFFSET = 48;
  static final int COPY_FP_OFFSET = 56;
  static final int COPY_BX_OFFSET = 64;
  static final int COPY_CX_OFFSET = 72;
  static final int COPY_DI_OFFSET = 80;
  static final int COPY_AX_OFFSET = 88;

  /** A bit for each page that was not there. */
  static final int COPY_ABSENT_OFFSET = 96;

  static final int COPY_PAGE_BITS = 12;
  static final int COPY_KERNEL_OFFSET = 104;
  static final int COPY_STACK_OFFSET = 1120;

  static final int SUM_DETAIL_OFFSET = 8;
  static final int SUM_TID_OFFSET = 16;
  static final int SUM_KIND_OFFSET = 20;
  static final int SUM_KEY_SIZE = 24;
  static final int SUM_SIZE = 24;

  static final int MAX_KERNEL_FRAMES = 127;
  static final int MAX_USER_FRAMES = 1024;

  private Records() {}

  /** Of a record that was copied to words, which are read faster than memory if many are. */
  static long longAt(long[] words, int offset) {
    return words[offset >> 3];
  }

  static int intAt(long[] words, int offset) {
    return (int) (words[offset >> 3] >>> ((offset & 4) << 3));
  }
}
