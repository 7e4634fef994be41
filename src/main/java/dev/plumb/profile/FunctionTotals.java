package dev.plumb.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The self and total values of each function, module, process or thread.
 *
 * <p>Self is the value of stacks with it as the leaf, total that of stacks with it anywhere; a
 * stack that contains it several times counts once.
 */
public final class FunctionTotals {
  private final By by;
  private final long sum;
  private final List<Entry> entries;

  private FunctionTotals(By by, long sum, List<Entry> entries) {
    this.by = by;
    this.sum = sum;
    this.entries = entries;
  }

  /** What to group by. */
  public enum By {
    FUNCTION,
    MODULE,
    PROCESS,
    THREAD
  }

  /**
   * One line of a table.
   *
   * @param name the function, the module, or the process or thread with its id
   * @param module a function's module, a thread's process; else empty
   */
  public record Entry(String name, SymbolKind kind, String module, long self, long total) {}

  public static FunctionTotals of(Profile profile, int type, By by) {
    SymbolIndex<Symbol> symbols = new SymbolIndex<>();
    long[][] sums =
        switch (by) {
          case FUNCTION -> ofFrames(profile, type, symbols, frame -> Symbol.of(frame).function());
          case MODULE -> ofFrames(profile, type, symbols, FunctionTotals::module);
          case PROCESS -> ofThreads(profile, type, symbols, FunctionTotals::process);
          case THREAD -> ofThreads(profile, type, symbols, FunctionTotals::thread);
        };
    List<Entry> entries = new ArrayList<>();
    List<Symbol> all = symbols.symbols();
    for (int i = 0; i < all.size(); i++) {
      if (sums[1][i] != 0) {
        Symbol symbol = all.get(i);
        entries.add(
            new Entry(symbol.name(), symbol.kind(), symbol.module(), sums[0][i], sums[1][i]));
      }
    }
    return new FunctionTotals(by, profile.total(type), List.copyOf(entries));
  }

  public By by() {
    return by;
  }

  /** The sum over all rows, to which shares are relative. */
  public long sum() {
    return sum;
  }

  public List<Entry> entries() {
    return entries;
  }

  /** The {@code limit} entries with the largest self values. */
  public List<Entry> hottestSelf(int limit) {
    return sorted(Comparator.comparingLong(Entry::self).thenComparingLong(Entry::total), limit);
  }

  /** The {@code limit} entries with the largest totals. */
  public List<Entry> hottestTotal(int limit) {
    return sorted(Comparator.comparingLong(Entry::total).thenComparingLong(Entry::self), limit);
  }

  private List<Entry> sorted(Comparator<Entry> order, int limit) {
    return entries.stream()
        .sorted(order.reversed().thenComparing(Entry::name).thenComparing(Entry::module))
        .limit(limit)
        .toList();
  }

  private static Symbol module(Frame frame) {
    String name = frame.module();
    if (name.isEmpty()) {
      name =
          switch (frame.kind()) {
            case KERNEL -> "[kernel]";
            case NATIVE -> "[no module]";
            case JIT -> "[jit code]";
            case INTERPRETED -> "[interpreted code]";
            case WAITING -> "[waiting]";
          };
    }
    return new Symbol(name, SymbolKind.of(frame.kind()), false, true, "");
  }

  private static Symbol process(ThreadInfo thread) {
    return Symbol.process(thread.processComm() + " (" + thread.pid() + ")");
  }

  private static Symbol thread(ThreadInfo thread) {
    String name = thread.comm() + " (" + thread.tid() + ")";
    return new Symbol(name, SymbolKind.PROCESS, false, true, thread.processComm());
  }

  private static long[][] ofThreads(
      Profile profile, int type, SymbolIndex<Symbol> symbols, Function<ThreadInfo, Symbol> key) {
    int[] ofThread = symbols.ofThreads(profile.threads(), key);
    long[] sums = new long[symbols.symbols().size()];
    for (int row = 0; row < profile.rows(); row++) {
      sums[ofThread[profile.threadId(row)]] += profile.value(row, type);
    }
    return new long[][] {sums, sums};
  }

  private static long[][] ofFrames(
      Profile profile, int type, SymbolIndex<Symbol> symbols, Function<Frame, Symbol> key) {
    StackTable stacks = profile.stacks();
    int[] ofFrame = symbols.ofFrames(stacks, key);
    int none = symbols.id(new Symbol("[no stack]", SymbolKind.PROCESS, false, false, ""));
    long[] byStack = new long[stacks.size()];
    for (int row = 0; row < profile.rows(); row++) {
      byStack[profile.stack(row)] += profile.value(row, type);
    }
    int count = none + 1;
    long[] self = new long[count];
    long[] total = new long[count];
    int[] seenIn = new int[count];
    Arrays.fill(seenIn, -1);
    for (int stack = 0; stack < byStack.length; stack++) {
      long value = byStack[stack];
      if (value == 0) {
        continue;
      }
      self[stacks.isEmpty(stack) ? none : ofFrame[stacks.leaf(stack)]] += value;
      if (stacks.isEmpty(stack)) {
        total[none] += value;
      }
      for (int at = stack; !stacks.isEmpty(at); at = stacks.caller(at)) {
        int symbol = ofFrame[stacks.leaf(at)];
        if (seenIn[symbol] != stack) {
          seenIn[symbol] = stack;
          total[symbol] += value;
        }
      }
    }
    return new long[][] {self, total};
  }
}
