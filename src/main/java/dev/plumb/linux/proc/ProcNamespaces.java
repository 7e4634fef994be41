package dev.plumb.linux.proc;

import java.util.Map;

/**
 * The namespaces of a process by inode number, which identifies a namespace; 0 if the kernel does
 * not say.
 */
public record ProcNamespaces(
    long cgroup, long ipc, long mount, long network, long pid, long user, long uts) {
  /** The initial ones have fixed numbers: include/linux/proc_ns.h, PROC_USER_INIT_INO and so on. */
  private static final Map<String, Long> INITIAL =
      Map.of("user", 0xEFFF_FFFDL, "pid", 0xEFFF_FFFCL, "cgroup", 0xEFFF_FFFBL);

  /** Whether this process is in the host's namespace of a kind: user, pid or cgroup. */
  public static boolean isHosts(ProcReader reader, String name) {
    int length = reader.at("/proc/self/ns/" + name).readLink();
    return length < 0 || reader.cursor(length).skipPast('[').decimal() == INITIAL.get(name);
  }

  /** All 0 if the process is gone. */
  public static ProcNamespaces read(ProcReader reader, int pid) {
    return new ProcNamespaces(
        inode(reader, pid, "cgroup"),
        inode(reader, pid, "ipc"),
        inode(reader, pid, "mnt"),
        inode(reader, pid, "net"),
        inode(reader, pid, "pid"),
        inode(reader, pid, "user"),
        inode(reader, pid, "uts"));
  }

  /** One of them by its name in {@code /proc/PID/ns}; 0 if the process is gone. */
  public static long inode(ProcReader reader, int pid, String name) {
    int length = reader.at(pid, "ns/" + name).readLink();
    return length < 0 ? 0 : reader.cursor(length).skipPast('[').decimal();
  }
}
