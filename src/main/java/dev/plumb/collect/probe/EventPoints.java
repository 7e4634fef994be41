package dev.plumb.collect.probe;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.code.NamePattern;
import dev.plumb.collect.code.NameSuggestions;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.options.ModeException;
import dev.plumb.linux.kernel.Tracefs;
import dev.plumb.linux.kernel.TracepointFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tracepoints; system calls by the two that each of them has. */
final class EventPoints implements ProbePoints {
  private static final String SYSCALLS = "syscalls";
  private static final String ENTER = "sys_enter_";

  /** Attaching to the tracepoints of one system call takes the kernel a tenth of a second. */
  private static final int MOST_CALLS = 2;

  /** System calls whose names in the kernel differ from the usual ones. */
  private static final Map<String, String> KERNELS_NAMES =
      Map.of(
          "stat", "newstat",
          "fstat", "newfstat",
          "lstat", "newlstat",
          "fstatat", "newfstatat",
          "uname", "newuname",
          "sendfile", "sendfile64",
          "umount2", "umount");

  private final String category;
  private final List<String> names;
  private final List<ProbeArguments> scopes;
  private final boolean calls;

  private EventPoints(
      String category, List<String> names, List<ProbeArguments> scopes, boolean calls) {
    this.category = category;
    this.names = List.copyOf(names);
    this.scopes = List.copyOf(scopes);
    this.calls = calls;
  }

  static EventPoints of(ProbeSpec.Event event) {
    try (Tracefs tracefs = Tracefs.open()) {
      List<String> all = tracefs.events(event.category());
      List<String> found = matching(all, event.name());
      if (found.isEmpty()) {
        throw new ProbeException(
            "this kernel has no tracepoint %s:%s%s; `plumb list events` shows all"
                .formatted(event.category(), event.name(), hint(tracefs, event, all)));
      }
      return points(tracefs, event.category(), found, false);
    }
  }

  private static String hint(Tracefs tracefs, ProbeSpec.Event event, List<String> inCategory) {
    if (!inCategory.isEmpty()) {
      return NameSuggestions.hint(event.name(), inCategory);
    }
    List<String> all = new ArrayList<>();
    for (String category : tracefs.categories()) {
      all.add(category);
      tracefs.events(category).stream()
          .filter(name -> name.equals(event.name()))
          .forEach(name -> all.add(category + ":" + name));
    }
    return all.stream()
        .filter(name -> name.endsWith(":" + event.name()))
        .findFirst()
        .map(name -> "; did you mean " + name + "?")
        .orElseGet(() -> NameSuggestions.hint(event.category(), all));
  }

  static ProbePoints of(ProbeSpec.Syscall call) {
    try (Tracefs tracefs = Tracefs.open()) {
      List<String> all =
          tracefs.events(SYSCALLS).stream()
              .filter(name -> name.startsWith(ENTER))
              .map(name -> name.substring(ENTER.length()))
              .toList();
      if (all.isEmpty()) {
        throw new ModeException(
            call.text()
                + ": this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)");
      }
      String name = KERNELS_NAMES.getOrDefault(call.name(), call.name());
      List<String> found = matching(all, all.contains(call.name()) ? call.name() : name);
      if (found.isEmpty()) {
        throw new ProbeException(
            "no system call '%s'%s; `plumb list events sys_enter_` shows all"
                .formatted(call.name(), NameSuggestions.hint(call.name(), all)));
      }
      return found.size() > MOST_CALLS && CallPoints.possible()
          ? CallPoints.of(call, found, KERNELS_NAMES)
          : points(tracefs, SYSCALLS, found, true);
    }
  }

  private static List<String> matching(List<String> all, String name) {
    NamePattern pattern = new NamePattern(name);
    List<String> found = all.stream().filter(pattern::matches).toList();
    if (found.size() > FunctionSites.MOST) {
      throw new ProbeException(
          "'%s' matches %d tracepoints, and at most %d can be watched; narrow it"
              .formatted(name, found.size(), FunctionSites.MOST));
    }
    return found;
  }

  private static EventPoints points(
      Tracefs tracefs, String category, List<String> names, boolean calls) {
    List<ProbeArguments> scopes = new ArrayList<>();
    for (String name : names) {
      String event = calls ? ENTER + name : name;
      String format =
          tracefs
              .format(category, event)
              .orElseThrow(
                  () ->
                      new ProbeException(
                          "the tracepoint %s:%s has no format; run as root, or name another"
                              .formatted(category, event)));
      scopes.add(ProbeArguments.ofEvent(name, TracepointFormat.parse(format)));
    }
    return new EventPoints(category, names, scopes, calls);
  }

  @Override
  public List<ProbeArguments> scopes() {
    return scopes;
  }

  @Override
  public void prepare(CollectionSpec spec) {
    spec.program(calls ? "on_call" : "on_event").autoload(true);
    spec.program("on_return").autoload(calls);
  }

  @Override
  public void attach(
      Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached) {
    for (int i = 0; i < points.length; i++) {
      String name = names.get(points[i]);
      long cookie = cookies.length == 0 ? 0 : cookies[i];
      if (calls) {
        attached.add(
            Links.tracepoint(programs.program("on_return"), category, "sys_exit_" + name, cookie));
      }
      String event = calls ? ENTER + name : name;
      String program = calls ? "on_call" : "on_event";
      attached.add(Links.tracepoint(programs.program(program), category, event, cookie));
    }
  }
}
