package dev.plumb.linux.proc;

import java.util.List;
import java.util.stream.IntStream;

/** A set of capabilities(7); bit n is capability n. */
public record Capabilities(long bits) {
  private static final List<String> NAMES =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_DAC_READ_SEARCH",
          "CAP_FOWNER",
          "CAP_FSETID",
          "CAP_KILL",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETPCAP",
          "CAP_LINUX_IMMUTABLE",
          "CAP_NET_BIND_SERVICE",
          "CAP_NET_BROADCAST",
          "CAP_NET_ADMIN",
          "CAP_NET_RAW",
          "CAP_IPC_LOCK",
          "CAP_IPC_OWNER",
          "CAP_SYS_MODULE",
          "CAP_SYS_RAWIO",
          "CAP_SYS_CHROOT",
          "CAP_SYS_PTRACE",
          "CAP_SYS_PACCT",
          "CAP_SYS_ADMIN",
          "CAP_SYS_BOOT",
          "CAP_SYS_NICE",
          "CAP_SYS_RESOURCE",
          "CAP_SYS_TIME",
          "CAP_SYS_TTY_CONFIG",
          "CAP_MKNOD",
          "CAP_LEASE",
          "CAP_AUDIT_WRITE",
          "CAP_AUDIT_CONTROL",
          "CAP_SETFCAP",
          "CAP_MAC_OVERRIDE",
          "CAP_MAC_ADMIN",
          "CAP_SYSLOG",
          "CAP_WAKE_ALARM",
          "CAP_BLOCK_SUSPEND",
          "CAP_AUDIT_READ",
          "CAP_PERFMON",
          "CAP_BPF",
          "CAP_CHECKPOINT_RESTORE");

  /** The effective capabilities of the calling thread. */
  public static Capabilities effective() {
    try (ProcReader reader = new ProcReader()) {
      return ProcStatus.ofThisThread(reader).effective();
    }
  }

  /** Whether it contains a capability, by name, e.g. {@code CAP_BPF}. */
  public boolean has(String name) {
    int bit = NAMES.indexOf(name);
    if (bit < 0) {
      throw new IllegalArgumentException("no capability " + name);
    }
    return (bits >>> bit & 1) != 0;
  }

  /**
   * Whether it contains a capability, or the older, wider one that includes it: CAP_SYS_ADMIN was
   * split up in Linux 2.6.37 (CAP_SYSLOG) and 5.8 (CAP_BPF, CAP_PERFMON), and still grants them.
   */
  public boolean grants(String name) {
    boolean partOfAdmin = List.of("CAP_BPF", "CAP_PERFMON", "CAP_SYSLOG").contains(name);
    return has(name) || (partOfAdmin && has("CAP_SYS_ADMIN"));
  }

  /** The names; capabilities newer than this list are {@code CAP_41} and so on. */
  public List<String> names() {
    return IntStream.range(0, Long.SIZE)
        .filter(bit -> (bits >>> bit & 1) != 0)
        .mapToObj(bit -> bit < NAMES.size() ? NAMES.get(bit) : "CAP_" + bit)
        .toList();
  }
}
