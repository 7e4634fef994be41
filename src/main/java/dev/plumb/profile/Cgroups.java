package dev.plumb.profile;

import java.util.Optional;

/** Tells from a cgroup's path what runs in it. */
public final class Cgroups {
  private static final int MIN_ID = 32;
  private static final int SHORT_ID = 12;
  private static final String SERVICE = ".service";

  private Cgroups() {}

  /** The container's short id, or the name of one that LXC runs. */
  public static Optional<String> container(String path) {
    String[] parts = path.split("/");
    for (int i = parts.length - 1; i >= 0; i--) {
      String id = idOf(parts[i]);
      if (!id.isEmpty()) {
        return Optional.of(id);
      }
      if (parts[i].startsWith("lxc.payload.")) {
        return Optional.of(parts[i].substring("lxc.payload.".length()));
      }
      if (i > 0 && parts[i - 1].equals("lxc")) {
        return Optional.of(parts[i]);
      }
    }
    return Optional.empty();
  }

  /** The systemd unit without its suffix; a user's session is none. */
  public static Optional<String> unit(String path) {
    String[] parts = path.split("/");
    for (int i = parts.length - 1; i >= 0; i--) {
      if (parts[i].endsWith(SERVICE) && !parts[i].startsWith("user@")) {
        return Optional.of(parts[i].substring(0, parts[i].length() - SERVICE.length()));
      }
    }
    return Optional.empty();
  }

  /**
   * What a thread belongs to, for people: its container, else its systemd unit, else its program,
   * if known.
   */
  public static String service(ThreadInfo thread) {
    String program = thread.processComm().isEmpty() ? "unknown" : thread.processComm();
    return container(thread.cgroup()).or(() -> unit(thread.cgroup())).orElse(program);
  }

  /** {@code docker-<64 hex digits>.scope}, {@code <64 hex digits>} and the like. */
  private static String idOf(String part) {
    int end = part.endsWith(".scope") ? part.length() - ".scope".length() : part.length();
    int start = end;
    while (start > 0 && isHex(part.charAt(start - 1))) {
      start--;
    }
    boolean whole = start == 0 || part.charAt(start - 1) == '-';
    return whole && end - start >= MIN_ID ? part.substring(start, start + SHORT_ID) : "";
  }

  private static boolean isHex(char c) {
    return c >= '0' && c <= '9' || c >= 'a' && c <= 'f';
  }
}
