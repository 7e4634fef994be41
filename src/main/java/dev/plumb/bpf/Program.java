package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.bpf.object.ProgramSpec;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A program in the kernel. */
public final class Program implements AutoCloseable {
  /** struct bpf_prog_info up to attach_btf_id. */
  private static final int INFO_SIZE = 232;

  private final Fd fd;
  private final ProgramSpec spec;
  private final String log;

  /**
   * How often and how long a program ran, while {@link #enableStatistics} was on.
   *
   * @param missed calls left out because the program was running on that CPU already
   */
  public record Statistics(long nanos, long calls, long missed) {}

  Program(Fd fd, ProgramSpec spec, String log) {
    this.fd = fd;
    this.spec = spec;
    this.log = log;
  }

  public int fd() {
    return fd.number();
  }

  public String name() {
    return spec.name();
  }

  /** What the verifier said, if it was asked. */
  public String log() {
    return log;
  }

  ProgramKind kind() {
    return spec.kind();
  }

  /** What the section's name (or the spec's user) said it is attached to. */
  public String attachTarget() {
    return spec.attachTarget();
  }

  /** The kernel's number for it. */
  public int id() {
    try (Arena arena = Arena.ofConfined()) {
      return info(arena).get(JAVA_INT, 4);
    }
  }

  /** The instructions that the verifier went through. Since Linux 5.16, else 0. */
  public int verifiedInstructions() {
    try (Arena arena = Arena.ofConfined()) {
      return info(arena).get(JAVA_INT, 216);
    }
  }

  public Statistics statistics() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = info(arena);
      return new Statistics(
          info.get(JAVA_LONG, 192), info.get(JAVA_LONG, 200), info.get(JAVA_LONG, 208));
    }
  }

  /** Lets the kernel count run times of all programs until this is closed; costs a little. */
  public static Fd enableStatistics() {
    try (Arena arena = Arena.ofConfined()) {
      return BpfCalls.fd(BpfCalls.ENABLE_STATS, BpfCalls.attr(arena), "ENABLE_STATS");
    }
  }

  /**
   * Runs a raw tracepoint or syscall program once, with {@code context} as its argument.
   *
   * @return what the program returned
   */
  public int run(MemorySegment context) {
    try (Arena arena = Arena.ofConfined()) {
      // prog_fd 0, retval 4, ctx_size_in 40, ctx_size_out 44, ctx_in 48, ctx_out 56
      MemorySegment attr = BpfCalls.attr(arena);
      attr.set(JAVA_INT, 0, fd());
      attr.set(JAVA_INT, 40, (int) context.byteSize());
      attr.set(JAVA_LONG, 48, context.byteSize() == 0 ? 0 : context.address());
      BpfCalls.check(
          SystemCalls.tryBpf(BpfCalls.PROG_TEST_RUN, attr), "PROG_TEST_RUN, program " + name());
      return attr.get(JAVA_INT, 4);
    }
  }

  private MemorySegment info(Arena arena) {
    MemorySegment info = arena.allocate(INFO_SIZE, 8);
    BpfCalls.check(BpfCalls.tryInfo(fd(), info), "OBJ_GET_INFO_BY_FD, program " + name());
    return info;
  }

  @Override
  public void close() {
    fd.close();
  }

  @Override
  public String toString() {
    return "program " + name();
  }
}
