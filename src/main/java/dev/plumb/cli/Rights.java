package dev.plumb.cli;

import dev.plumb.linux.Capabilities;
import dev.plumb.linux.ProcNamespaces;
import dev.plumb.linux.ProcReader;
import java.util.List;
import java.util.stream.Stream;

/** What recording needs, asked before it starts, so that one line names all that is missing. */
final class Rights {
  private Rights() {}

  /** Fails unless BPF programs and events for the whole machine are permitted. */
  static void require() {
    Capabilities held = Capabilities.effective();
    List<String> missing =
        Stream.of("CAP_BPF", "CAP_PERFMON").filter(name -> !held.grants(name)).toList();
    if (!missing.isEmpty()) {
      throw new NotPossibleException(
          "not permitted: %s %s missing; run as root, or grant CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE (`plumb doctor` shows what each is for)"
              .formatted(String.join(" and ", missing), missing.size() == 1 ? "is" : "are"));
    }
    try (ProcReader reader = new ProcReader()) {
      if (!ProcNamespaces.isHosts(reader, "user")) {
        throw new NotPossibleException(
            "not permitted: in a user namespace of its own, root's rights do not count for the kernel; run it in the host's");
      }
    }
  }

  /** Fails if pids that were given mean something else to the kernel. */
  static void requireHostsPids(String what) {
    try (ProcReader reader = new ProcReader()) {
      if (!ProcNamespaces.isHosts(reader, "pid")) {
        throw new NotPossibleException(
            what
                + " is not possible in a pid namespace of its own: the kernel knows processes by other numbers; run it in the host's (docker: --pid=host), or record all with -a, --comm or -g");
      }
    }
  }
}
