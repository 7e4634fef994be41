package dev.plumb.collect.probe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.bpf.BpfMap;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.options.Filter;
import dev.plumb.collect.options.ProbeOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What the kernel side reads and tries at each point: the plans of {@code arguments.h}. Points that
 * do the same share one.
 *
 * <pre>
 * plan      0 arguments  4 labels  8 tests  16 argument[8]  144 test[16]          912 bytes
 * argument  0 value  8 base  10 index  12 kind  13 shift  14 size  15 is_signed    16 bytes
 * test      0 value  8 argument  9 operator  10 on_true  11 on_false  12 is_signed
 *           13 text_bytes  16 text                                                 48 bytes
 * </pre>
 */
public final class ProbeTable {
  private static final int ARGUMENTS = 16;
  private static final int TESTS = ARGUMENTS + Argument.MOST * Argument.STRUCT_SIZE;
  private static final int TEST_SIZE = 48;
  public static final int PLAN_SIZE = TESTS + Filter.MOST_TESTS * TEST_SIZE;

  private final List<List<Argument>> plans = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final int[] planOf;
  private final int labels;
  private final Filter filter;
  private final boolean toldApart;

  ProbeTable(ProbePoints points, ProbeOptions options) {
    List<ProbeArguments> scopes = points.scopes();
    this.toldApart = scopes.size() > 1 && points.areToldApart();
    this.filter = options.filter();
    this.planOf = new int[scopes.size()];
    int most = 0;
    for (int i = 0; i < planOf.length; i++) {
      ProbeArguments scope = scopes.get(i);
      List<Argument> chosen = scope.choose(options.arguments(), filter);
      most = Math.max(most, scope.labelCount(options.arguments()));
      int known = plans.indexOf(chosen);
      planOf[i] = known < 0 ? plans.size() : known;
      if (known < 0) {
        plans.add(chosen);
      }
      names.add(scope.probe());
    }
    this.labels = most;
  }

  int planCount() {
    return plans.size();
  }

  /** Whether there are several points, and events say which it was. */
  boolean pointsAreToldApart() {
    return toldApart;
  }

  int pointCount() {
    return planOf.length;
  }

  /** The arguments that become labels of the events at a point. */
  List<Argument> labels(int point) {
    List<Argument> all = plans.get(planOf[point]);
    return all.subList(0, Math.min(labels, all.size()));
  }

  String name(int point) {
    return names.get(point);
  }

  /** The cookie of a link, which tells the program the plan and the point. */
  long cookie(int point) {
    return (long) planOf[point] << 32 | point;
  }

  /** The points of a plan. */
  int[] points(int plan) {
    List<Integer> points = new ArrayList<>();
    for (int i = 0; i < planOf.length; i++) {
      if (planOf[i] == plan) {
        points.add(i);
      }
    }
    return points.stream().mapToInt(Integer::intValue).toArray();
  }

  void write(BpfMap map) {
    try (Arena arena = Arena.ofConfined()) {
      for (int plan = 0; plan < plans.size(); plan++) {
        MemorySegment value = arena.allocate(PLAN_SIZE, 8);
        write(plans.get(plan), value);
        map.update(arena.allocateFrom(JAVA_INT, plan), value, BpfMap.ANY);
      }
    }
  }

  private void write(List<Argument> arguments, MemorySegment to) {
    to.set(JAVA_INT, 0, arguments.size());
    to.set(JAVA_INT, 4, Math.min(labels, arguments.size()));
    to.set(JAVA_INT, 8, filter.tests().size());
    for (int i = 0; i < arguments.size(); i++) {
      write(arguments.get(i), to.asSlice(ARGUMENTS + (long) i * Argument.STRUCT_SIZE));
    }
    for (int i = 0; i < filter.tests().size(); i++) {
      write(filter.tests().get(i), arguments, to.asSlice(TESTS + (long) i * TEST_SIZE));
    }
  }

  private static void write(Argument argument, MemorySegment to) {
    to.set(JAVA_LONG, 0, argument.value());
    to.set(JAVA_SHORT, 8, (short) argument.base());
    to.set(JAVA_SHORT, 10, (short) argument.index());
    to.set(JAVA_BYTE, 12, (byte) argument.kind().ordinal());
    to.set(JAVA_BYTE, 13, (byte) argument.shift());
    to.set(JAVA_BYTE, 14, (byte) argument.size());
    to.set(JAVA_BYTE, 15, (byte) (argument.signed() ? 1 : 0));
  }

  private static void write(Filter.Test test, List<Argument> arguments, MemorySegment to) {
    int number = 0;
    while (!arguments.get(number).name().equals(test.name())) {
      number++;
    }
    Argument argument = arguments.get(number);
    if (argument.isText() != test.isText()) {
      throw new ProbeException(
          "--filter: %s is a %s"
              .formatted(
                  test.name(),
                  argument.isText()
                      ? "text; compare it with one in quotes"
                      : "number; if it points to a text, write " + test.name() + ":str"));
    }
    to.set(JAVA_LONG, 0, test.value());
    to.set(JAVA_BYTE, 8, (byte) number);
    to.set(JAVA_BYTE, 9, (byte) test.operator().ordinal());
    to.set(JAVA_BYTE, 10, (byte) test.onTrue());
    to.set(JAVA_BYTE, 11, (byte) test.onFalse());
    to.set(JAVA_BYTE, 12, (byte) (argument.signed() ? 1 : 0));
    to.set(JAVA_BYTE, 13, (byte) test.text().length);
    MemorySegment.copy(test.text(), 0, to, JAVA_BYTE, 16, test.text().length);
  }
}
