package dev.plumb.cli.options;

import dev.plumb.cli.outcome.NotPossibleException;
import dev.plumb.linux.proc.Capabilities;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The rights that recording needs, checked before it starts, so that one line names all that are
 * missing.
 */
public final class Rights {
  /** Capabilities without which recording works, and what it then lacks. */
  public static final Map<String, String> HELPFUL = new LinkedHashMap<>();

  static {
    HELPFUL.put("CAP_SYS_PTRACE", "functions in other users' processes have no names");
    HELPFUL.put(
        "CAP_DAC_READ_SEARCH", "functions in files that only other users may read have no names");
    HELPFUL.put("CAP_SYSLOG", "kernel functions have no names");
  }

  private Rights() {}

  /** One line for each missing capability, with the effect. */
  public static List<String> shortages() {
    Capabilities held = Capabilities.effective();
    return HELPFUL.entrySet().stream()
        .filter(entry -> !held.grants(entry.getKey()))
        .map(entry -> "%s is missing: %s".formatted(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** Fails unless BPF programs and events for the whole machine are permitted. */
  public static void require() {
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
            "not permitted: in a separate user namespace, the kernel ignores root's capabilities; run plumb in the host's user namespace");
      }
    }
  }

  /** Fails if pids that were given mean something else to the kernel. */
  public static void requireHostsPids(String what) {
    try (ProcReader reader = new ProcReader()) {
      if (!ProcNamespaces.isHosts(reader, "pid")) {
        throw new NotPossibleException(
            what
                + " is not possible in a separate pid namespace, where pids differ from the kernel's; run plumb in the host's pid namespace (docker: --pid=host), or use -a, --comm or -g");
      }
    }
  }
}
