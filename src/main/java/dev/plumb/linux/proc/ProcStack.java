package dev.plumb.linux.proc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The kernel's part of a thread's stack, from {@code /proc/PID/task/TID/stack}. */
public final class ProcStack {
  /**
   * One function.
   *
   * @param offset bytes from its start to where it goes on
   * @param module the kernel module it is in, or empty
   */
  public record Entry(String name, long offset, String module) {}

  private ProcStack() {}

  /**
   * The innermost first; empty if the thread runs or is gone.
   *
   * @throws SyscallException EACCES without CAP_SYS_ADMIN
   */
  public static List<Entry> read(ProcReader reader, int pid, int tid) {
    List<Entry> entries = new ArrayList<>();
    reader
        .at(pid, tid, "stack")
        .forEachLine((bytes, start, end) -> add(bytes, start, end, entries));
    return entries;
  }

  /** {@code [<0>] futex_wait+0x69/0xb0 [module]}; the number is 0 for who may not know it. */
  public static void add(byte[] bytes, int start, int end, List<Entry> entries) {
    ByteCursor c = new ByteCursor().on(bytes, start, end);
    String place = c.skipPast(']').skipBlanks().word();
    String module = c.skipBlanks().word();
    int plus = place.lastIndexOf("+0x");
    if (plus <= 0) {
      return;
    }
    byte[] offset = place.substring(plus + 3).getBytes(StandardCharsets.US_ASCII);
    entries.add(
        new Entry(
            place.substring(0, plus),
            c.on(offset, 0, offset.length).hex(),
            module.startsWith("[") && module.endsWith("]")
                ? module.substring(1, module.length() - 1)
                : ""));
  }
}
