package dev.plumb.collect.probe;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.plumb.bpf.BpfMap;
import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.options.ModeException;
import dev.plumb.linux.kernel.SyscallNames;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Many system calls, by the two tracepoints that all of them pass. Their arguments are not read.
 */
final class CallPoints implements ProbePoints {
  /** More than any kernel has. */
  private static final int NUMBERS = 1024;

  private final List<String> names;
  private final List<Integer> numbers;

  private CallPoints(List<String> names, List<Integer> numbers) {
    this.names = List.copyOf(names);
    this.numbers = List.copyOf(numbers);
  }

  /** Whether we know the system calls' numbers. */
  static boolean possible() {
    return System.getProperty("os.arch").equals("amd64");
  }

  /**
   * The system calls among {@code found} whose numbers we know.
   *
   * @param kernelsNames what the kernel calls those otherwise that people know
   */
  static CallPoints of(
      ProbeSpec.Syscall call, List<String> found, Map<String, String> kernelsNames) {
    Map<String, Integer> known = new HashMap<>();
    for (int number = 0; number < NUMBERS; number++) {
      String name = SyscallNames.name(number);
      known.putIfAbsent(name, number);
      known.putIfAbsent(kernelsNames.getOrDefault(name, name), number);
    }
    List<String> names = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    for (String name : found) {
      if (known.containsKey(name)) {
        names.add(name);
        numbers.add(known.get(name));
      }
    }
    if (names.isEmpty()) {
      throw new ModeException(call.text() + ": name fewer system calls; these are too new");
    }
    return new CallPoints(names, numbers);
  }

  @Override
  public List<ProbeArguments> scopes() {
    return names.stream().map(name -> new ProbeArguments(name, List.of())).toList();
  }

  /** By their numbers. */
  @Override
  public boolean areToldApart() {
    return true;
  }

  @Override
  public void prepare(CollectionSpec spec) {
    spec.program("on_any_call").autoload(true);
    spec.program("on_any_return").autoload(true);
  }

  @Override
  public void attach(
      Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached) {
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < numbers.size(); i++) {
        programs
            .map("wanted_calls")
            .update(
                arena.allocateFrom(JAVA_INT, numbers.get(i)),
                arena.allocateFrom(JAVA_INT, i + 1),
                BpfMap.ANY);
      }
    }
    attached.add(Links.rawTracepoint(programs.program("on_any_return"), "sys_exit"));
    attached.add(Links.rawTracepoint(programs.program("on_any_call"), "sys_enter"));
  }
}
