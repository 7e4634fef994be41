package dev.plumb.linux.proc;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code /proc/PID/status} says (proc_pid_status(5)).
 *
 * @param name the comm, with the kernel's escapes for newline and backslash undone
 * @param tracerPid the thread that debugs it, or 0
 * @param namespacePids the id in each pid namespace, outermost first; the last is its own view
 */
public record ProcStatus(
    String name,
    int tgid,
    int pid,
    int ppid,
    int tracerPid,
    int uid,
    List<Integer> namespacePids,
    int threads,
    Capabilities effective,
    Capabilities permitted) {
  public ProcStatus {
    namespacePids = List.copyOf(namespacePids);
  }

  /** A process or thread; empty if it is gone. */
  public static Optional<ProcStatus> read(ProcReader reader, int pid) {
    return read(reader.at(pid, "status"));
  }

  /** The calling thread. */
  public static ProcStatus ofThisThread(ProcReader reader) {
    return read(reader.at("/proc/thread-self/status")).orElseThrow();
  }

  private static Optional<ProcStatus> read(ProcReader reader) {
    int length = reader.readAll();
    return length <= 0 ? Optional.empty() : Optional.of(parse(reader.bytes(), length));
  }

  static ProcStatus parse(byte[] bytes, int length) {
    String name = "";
    int tgid = 0;
    int pid = 0;
    int ppid = 0;
    int tracerPid = 0;
    int uid = 0;
    int threads = 0;
    long effective = 0;
    long permitted = 0;
    List<Integer> inner = new ArrayList<>(2);
    ByteCursor c = new ByteCursor();
    for (int start = 0; start < length; ) {
      int end = start;
      while (end < length && bytes[end] != '\n') {
        end++;
      }
      c.on(bytes, start, end);
      if (c.accept("Name:")) {
        c.skip(1);
        name = unescapedName(bytes, c.at(), end);
      } else if (c.accept("Tgid:")) {
        tgid = (int) c.skipBlanks().decimal();
      } else if (c.accept("Pid:")) {
        pid = (int) c.skipBlanks().decimal();
      } else if (c.accept("PPid:")) {
        ppid = (int) c.skipBlanks().decimal();
      } else if (c.accept("TracerPid:")) {
        tracerPid = (int) c.skipBlanks().decimal();
      } else if (c.accept("Uid:")) {
        uid = (int) c.skipBlanks().decimal();
      } else if (c.accept("NSpid:")) {
        for (c.skipBlanks(); !c.atEnd(); c.skipBlanks()) {
          inner.add((int) c.decimal());
        }
      } else if (c.accept("Threads:")) {
        threads = (int) c.skipBlanks().decimal();
      } else if (c.accept("CapEff:")) {
        effective = c.skipBlanks().hex();
      } else if (c.accept("CapPrm:")) {
        permitted = c.skipBlanks().hex();
      }
      start = end + 1;
    }
    return new ProcStatus(
        name,
        tgid,
        pid,
        ppid,
        tracerPid,
        uid,
        inner,
        threads,
        new Capabilities(effective),
        new Capabilities(permitted));
  }

  /** In this file the kernel writes a newline as {@code \n}, and doubles a backslash. */
  private static String unescapedName(byte[] bytes, int start, int end) {
    return ByteCursor.text(bytes, start, end)
        .replace("\\\\", "\0")
        .replace("\\n", "\n")
        .replace('\0', '\\');
  }

  /** Its id in its own pid namespace. */
  public int innerPid() {
    return namespacePids.isEmpty() ? pid : namespacePids.getLast();
  }
}
