package dev.plumb.linux.proc;

import java.util.Optional;

/**
 * What {@code /proc/PID/stat} says (proc_pid_stat(5)).
 *
 * @param comm up to 15 bytes, which may be blanks and parentheses too
 * @param state {@code R}, {@code S}, {@code D}, {@code Z}, …
 * @param flags PF_… of the kernel
 * @param startTicks since boot, suspended time included; with the pid it identifies the process
 */
public record ProcStat(
    int pid,
    String comm,
    char state,
    int ppid,
    int pgrp,
    int session,
    long flags,
    long userTicks,
    long systemTicks,
    int threads,
    long startTicks) {
  private static final long PF_KTHREAD = 0x0020_0000;

  /** USER_HZ is 100 on x86-64 and arm64, whatever the kernel's own HZ. */
  private static final long NANOS_A_TICK = 10_000_000;

  /** The process; empty if it is gone. */
  public static Optional<ProcStat> read(ProcReader reader, int pid) {
    return parse(reader.at(pid, "stat"));
  }

  /** One thread of it; empty if it is gone. */
  public static Optional<ProcStat> read(ProcReader reader, int pid, int tid) {
    return parse(reader.at(pid, tid, "stat"));
  }

  private static Optional<ProcStat> parse(ProcReader reader) {
    int length = reader.readAll();
    return length <= 0 ? Optional.empty() : Optional.of(parse(reader.bytes(), length));
  }

  /** The comm ends at the last parenthesis: none can follow it. */
  static ProcStat parse(byte[] bytes, int length) {
    int close = length - 1;
    while (close > 0 && bytes[close] != ')') {
      close--;
    }
    ByteCursor c = new ByteCursor().on(bytes, 0, length);
    int pid = (int) c.decimal();
    int open = c.skipPast('(').at();
    String comm = ByteCursor.text(bytes, open, Math.max(open, close));
    c.on(bytes, Math.min(length, close + 1), length).skipBlanks();
    char state = (char) c.next();
    int ppid = (int) c.skipBlanks().decimal();
    int pgrp = (int) c.skipBlanks().decimal();
    int session = (int) c.skipBlanks().decimal();
    long flags = skipFields(c, 2).decimal();
    long userTicks = skipFields(c.skipBlanks(), 4).decimal();
    long systemTicks = c.skipBlanks().decimal();
    int threads = (int) skipFields(c.skipBlanks(), 4).decimal();
    long startTicks = skipFields(c.skipBlanks(), 1).decimal();
    return new ProcStat(
        pid, comm, state, ppid, pgrp, session, flags, userTicks, systemTicks, threads, startTicks);
  }

  private static ByteCursor skipFields(ByteCursor c, int count) {
    c.skipBlanks();
    for (int i = 0; i < count; i++) {
      c.skipWord();
    }
    return c;
  }

  public boolean isKernelThread() {
    return (flags & PF_KTHREAD) != 0;
  }

  /** When it started, as CLOCK_BOOTTIME, to the tick of 10 ms. */
  public long startBootNanos() {
    return startTicks * NANOS_A_TICK;
  }
}
