package dev.plumb.cli.text;

import dev.plumb.profile.FunctionTotals.Entry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The history of each process as a line of bars. */
public final class Sparklines {
  private static final int LOOKS = 20;
  private static final String BARS = " ▁▂▃▄▅▆▇█";

  private final Deque<Map<String, Long>> looks = new ArrayDeque<>();

  /** Adds the latest interval; the oldest is forgotten. */
  public void add(List<Entry> entries) {
    Map<String, Long> totals = new HashMap<>();
    entries.forEach(entry -> totals.merge(entry.name(), entry.total(), Long::sum));
    looks.addLast(totals);
    if (looks.size() > LOOKS) {
      looks.removeFirst();
    }
  }

  /** The line of one process, on the scale of the largest value of all. */
  public String of(String name) {
    long most =
        looks.stream().flatMap(look -> look.values().stream()).mapToLong(x -> x).max().orElse(0);
    StringBuilder line = new StringBuilder();
    for (Map<String, Long> look : looks) {
      long amount = look.getOrDefault(name, 0L);
      int bar = most == 0 ? 0 : (int) Math.ceilDiv(amount * (BARS.length() - 1), most);
      line.append(BARS.charAt(bar));
    }
    return line.toString();
  }
}
