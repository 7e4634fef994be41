package dev.plumb.bpf;

import dev.plumb.bpf.BpfAttr.TestRun;
import dev.plumb.bpf.BpfInfo.ProgramInfo;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.bpf.object.ProgramSpec;
import dev.plumb.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A program in the kernel. */
public final class Program implements AutoCloseable {
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
      return (int) ProgramInfo.ID.get(info(arena));
    }
  }

  /** The instructions that the verifier went through. Since Linux 5.16, else 0. */
  public int verifiedInstructions() {
    try (Arena arena = Arena.ofConfined()) {
      return (int) ProgramInfo.VERIFIED_INSTRUCTIONS.get(info(arena));
    }
  }

  public Statistics statistics() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = info(arena);
      return new Statistics(
          ProgramInfo.RUN_NANOS.get(info),
          ProgramInfo.RUNS.get(info),
          ProgramInfo.MISSED_RUNS.get(info));
    }
  }

  /** Lets the kernel count run times of all programs until this is closed; costs a little. */
  public static Fd enableStatistics() {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena).open(BpfCalls.ENABLE_STATS, "ENABLE_STATS");
    }
  }

  /**
   * Runs a raw tracepoint or syscall program once, with {@code context} as its argument.
   *
   * @return what the program returned
   */
  public int run(MemorySegment context) {
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr =
          BpfAttr.in(arena)
              .put(TestRun.PROGRAM_FD, fd())
              .put(TestRun.CONTEXT_SIZE, context.byteSize())
              .put(TestRun.CONTEXT, context);
      BpfCalls.check(attr.tryCall(BpfCalls.PROG_TEST_RUN), "PROG_TEST_RUN, program " + name());
      return attr.number(TestRun.RESULT);
    }
  }

  private MemorySegment info(Arena arena) {
    MemorySegment info = arena.allocate(ProgramInfo.SIZE, 8);
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
