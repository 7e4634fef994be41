package dev.plumb.linux.proc;

import dev.plumb.linux.SyscallException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Where a thread that is not running entered the kernel, from {@code /proc/PID/task/TID/syscall}
 * (proc_pid_syscall(5)).
 *
 * @param number of the system call; -1 if it is not in one but, for example, in a page fault
 * @param sp the stack pointer in user space
 * @param pc where it will continue in user space
 */
public record ProcSyscall(int number, long sp, long pc) {
  /** Empty if the thread is running or gone, or access is denied. */
  public static Optional<ProcSyscall> read(ProcReader reader, int pid, int tid) {
    try {
      int length = reader.at(pid, tid, "syscall").readAll();
      return length <= 0 ? Optional.empty() : parse(reader.bytes(), length);
    } catch (SyscallException e) {
      return Optional.empty();
    }
  }

  /** {@code running}, {@code -1 SP PC} or {@code NUMBER}, six arguments, {@code SP PC}. */
  public static Optional<ProcSyscall> parse(byte[] bytes, int length) {
    String[] words = ByteCursor.text(bytes, 0, length).strip().split(" ");
    if (words.length < 3) {
      return Optional.empty();
    }
    ByteCursor cursor = new ByteCursor().on(bytes, 0, length);
    return Optional.of(
        new ProcSyscall(
            (int) cursor.decimal(), hex(words[words.length - 2]), hex(words[words.length - 1])));
  }

  private static long hex(String word) {
    byte[] bytes = word.getBytes(StandardCharsets.US_ASCII);
    ByteCursor cursor = new ByteCursor().on(bytes, 0, bytes.length);
    return cursor.accept("0x") ? cursor.hex() : 0;
  }
}
