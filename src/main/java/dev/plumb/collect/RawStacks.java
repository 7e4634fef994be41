package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.profile.StackEnd;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The stacks of a recording as addresses, each once. A stack is a run of {@link RawFrames} ids,
 * leaf first: the kernel's, then the user's. Its memory is bounded: when the table is full, further
 * stacks keep only their leaf frames, and say so; in the end they are refused, and their samples
 * are counted as lost.
 */
final class RawStacks {
  /**
   * How much may be held.
   *
   * @param content ids of frames, of all stacks together
   * @param frames distinct frames
   * @param stacks distinct stacks
   */
  record Limits(int content, int frames, int stacks) {
    /** For a heap of this size: at most half of it, with what belongs to each stack elsewhere. */
    static Limits ofHeap(long bytes) {
      int content = Math.clamp(bytes / 20, 1 << 20, 64 << 20);
      return new Limits(content, content / 16, content / 32);
    }
  }

  private static final StackEnd[] ENDS = StackEnd.values();

  private final RawFrames frames;
  private final RawProcesses processes;
  private final Limits limits;
  private LongIndex ids = new LongIndex();
  private int[] process = new int[1024];
  private int[] start = new int[1024];
  private short[] kernelFrames = new short[1024];
  private byte[] end = new byte[1024];
  private int[] content = new int[16 * 1024];
  private int used;
  private long refused;

  RawStacks(RawFrames frames, RawProcesses processes, Limits limits) {
    this.frames = frames;
    this.processes = processes;
    this.limits = limits;
  }

  /** Takes a {@code stack_record}. */
  void add(MemorySegment record) {
    int kernel = record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET);
    int user = Short.toUnsignedInt(record.get(JAVA_SHORT, Records.STACK_USER_FRAMES_OFFSET));
    long time = record.get(JAVA_LONG, Records.STACK_TIME_OFFSET);
    if (isFull()) {
      refused++; // nor is its process noted, whose memory grows with the stacks'
      return;
    }
    int owner =
        processes.index(
            record.get(JAVA_LONG, Records.STACK_PROCESS_OFFSET),
            record.get(JAVA_INT, Records.STACK_TGID_OFFSET),
            time);
    add(
        record.get(JAVA_LONG, Records.STACK_ID_OFFSET),
        owner,
        time,
        record.asSlice(Records.STACK_ADDRESSES_OFFSET + 8L * user),
        kernel,
        record.asSlice(Records.STACK_ADDRESSES_OFFSET),
        user,
        ENDS[record.get(JAVA_BYTE, Records.STACK_END_OFFSET)]);
  }

  /** Takes a stack whose addresses lie in memory. */
  void add(
      long id,
      int owner,
      long time,
      MemorySegment kernelAddresses,
      int kernel,
      MemorySegment userAddresses,
      int user,
      StackEnd how) {
    int before = ids.size();
    int stack = ids.add(id);
    if (stack < before) {
      return; // sent twice: two stacks shared a slot of the kernel's table
    }
    reserve(stack);
    int more = kernel + user;
    boolean full = used + more > limits.content() || frames.size() + more > limits.frames();
    int keptKernel = full ? Math.min(kernel, 1) : kernel;
    int keptUser = full ? Math.min(user, 1) : user;
    if (used + keptKernel + keptUser > content.length) {
      content = Arrays.copyOf(content, content.length * 2);
    }
    start[stack] = used;
    process[stack] = owner;
    kernelFrames[stack] = (short) keptKernel;
    end[stack] = (byte) (full ? StackEnd.DEPTH : how).ordinal();
    for (int i = 0; i < keptKernel; i++) {
      content[used++] = frames.kernel(kernelAddresses.getAtIndex(JAVA_LONG, i), i > 0);
    }
    for (int i = 0; i < keptUser; i++) {
      long address = userAddresses.getAtIndex(JAVA_LONG, i);
      content[used++] = frames.user(owner, address, i > 0, time);
    }
    start[stack + 1] = used;
  }

  private boolean isFull() {
    return ids.size() >= limits.stacks();
  }

  /** Stacks that found no room at all. */
  long refused() {
    return refused;
  }

  private void reserve(int stack) {
    if (stack + 2 > start.length) {
      int size = start.length * 2;
      start = Arrays.copyOf(start, size);
      process = Arrays.copyOf(process, size);
      kernelFrames = Arrays.copyOf(kernelFrames, size);
      end = Arrays.copyOf(end, size);
    }
  }

  /** Gives the memory back; nothing may be asked any more. */
  void clear() {
    ids = new LongIndex();
    process = new int[0];
    start = new int[0];
    kernelFrames = new short[0];
    end = new byte[0];
    content = new int[0];
  }

  /** The number of the stack that the kernel calls {@code id}; -1 if it never came. */
  int find(long id) {
    return ids.find(id);
  }

  int size() {
    return ids.size();
  }

  int process(int stack) {
    return process[stack];
  }

  int depth(int stack) {
    return start[stack + 1] - start[stack];
  }

  int kernelDepth(int stack) {
    return kernelFrames[stack];
  }

  int frame(int stack, int i) {
    return content[start[stack] + i];
  }

  StackEnd end(int stack) {
    return ENDS[end[stack]];
  }
}
