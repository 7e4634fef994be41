package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.TimeRange;
import dev.plumb.table.PairIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Single samples as columns; each name, thread and stack occurs once. */
final class SampleColumns {
  /** What a sample says about a thread or a CPU. */
  enum Kind {
    /** It ran; the value is the time that the sample stands for. */
    ON_CPU("process_cpu:cpu"),
    /** It waited; the value says how long. */
    WAIT("off_cpu:time"),
    /** It ran; the value is the number of threads that wanted the CPU, itself included. */
    QUEUE("run_queue_length:length");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    /** The name and the value of its profile type. */
    String type() {
      return type;
    }
  }

  /** The memory of a sample: its numbers, while their array grows, and their text. */
  private static final int SAMPLE_BYTES = 150;

  private final TimeRange range;
  private final int limit;
  private final String advice;
  private final Table<ThreadInfo> threads = new Table<>();
  private final Table<Symbol> symbols = new Table<>();
  private final Table<String> reasons = new Table<>();
  private final Table<String> wakers = new Table<>();

  /** Caller (−1 at the root) and symbol of each stack. */
  private final PairIndex stacks = new PairIndex();

  private final Rows on = new Rows();
  private final Rows off = new Rows();
  private boolean queued;

  SampleColumns(TimeRange range, int limit, String advice) {
    this.range = range;
    this.limit = limit;
    this.advice = advice;
  }

  void add(Profile profile, Kind kind) {
    HeapAllowance.take(profile.timeline().size() * SAMPLE_BYTES + 24L * profile.stacks().size());
    boolean waits = kind == Kind.WAIT;
    queued |= kind == Kind.QUEUE;
    int[] ofStack = stacksOf(profile.stacks());
    int[] ofThread = profile.threads().stream().mapToInt(threads::id).toArray();
    int[] first = new int[profile.labelSets().size()];
    int[] second = new int[first.length];
    for (int i = 0; i < first.length; i++) {
      Labels labels = profile.labelSets().get(i);
      first[i] = waits ? reasons.id(labels.values().getOrDefault("reason", "")) : -1;
      second[i] = waits ? wakers.id(labels.values().getOrDefault("waker", "")) : 0;
    }
    Rows rows = waits ? off : on;
    profile
        .timeline()
        .forEach(
            (time, row, cpu, value) -> {
              if (on.count + off.count >= limit) {
                throw new Refusal(
                    ErrorCode.TOO_LARGE, "more than %d samples".formatted(limit) + advice);
              }
              int labels = profile.labelsId(row);
              rows.add(
                  (time - range.fromNanos()) / 1_000,
                  ofThread[profile.threadId(row)],
                  ofStack[profile.stack(row)],
                  cpu,
                  kind == Kind.QUEUE ? 0 : value,
                  kind == Kind.QUEUE ? value : first[labels],
                  second[labels]);
            });
  }

  /** A stack's callers have lower numbers, so one pass is enough. */
  private int[] stacksOf(StackTable table) {
    int[] ofFrame = table.frames().stream().mapToInt(f -> symbols.id(Symbol.of(f))).toArray();
    int[] ids = new int[table.size()];
    for (int stack = 0; stack < ids.length; stack++) {
      ids[stack] =
          table.isEmpty(stack)
              ? -1
              : stacks.add(ids[table.caller(stack)], ofFrame[table.leaf(stack)]);
    }
    return ids;
  }

  void put(Json json) {
    json.key("from").value(OverviewQueries.millis(range.fromNanos()));
    json.key("to").value(OverviewQueries.millis(range.toNanos()));
    json.key("threads").open('[');
    for (ThreadInfo thread : threads.items) {
      json.open('{').key("pid").value(thread.pid()).key("tid").value(thread.tid());
      json.key("name").value(thread.comm()).key("process").value(thread.processComm());
      json.close('}');
    }
    json.close(']');
    json.key("names").open('[');
    symbols.items.forEach(symbol -> json.value(symbol.name()));
    json.close(']').key("modules").open('[');
    symbols.items.forEach(symbol -> json.value(symbol.module()));
    json.close(']').key("kinds").open('[');
    symbols.items.forEach(symbol -> json.value(symbol.kind().ordinal()));
    json.close(']').key("callers").open('[');
    for (int stack = 0; stack < stacks.size(); stack++) {
      json.value(stacks.first(stack));
    }
    json.close(']').key("leaves").open('[');
    for (int stack = 0; stack < stacks.size(); stack++) {
      json.value(stacks.second(stack));
    }
    json.close(']').key("reasons").open('[');
    reasons.items.forEach(json::value);
    json.close(']').key("wakers").open('[');
    wakers.items.forEach(json::value);
    json.close(']');
    json.key("queued").value(queued);
    on.put(json, "on", "queue", "");
    off.put(json, "off", "reason", "waker");
  }

  /** Numbers things in the order they come. */
  private static final class Table<T> {
    private final List<T> items = new ArrayList<>();
    private final Map<T, Integer> ids = new HashMap<>();

    int id(T item) {
      Integer known = ids.putIfAbsent(item, items.size());
      if (known != null) {
        return known;
      }
      items.add(item);
      return items.size() - 1;
    }
  }

  /** Seven numbers per sample. */
  private static final class Rows {
    private static final int WIDTH = 7;
    private long[] numbers = new long[WIDTH * 256];
    private int count;

    void add(long... row) {
      if (count * WIDTH == numbers.length) {
        numbers = Arrays.copyOf(numbers, numbers.length * 2);
      }
      System.arraycopy(row, 0, numbers, count * WIDTH, WIDTH);
      count++;
    }

    void put(Json json, String name, String sixth, String seventh) {
      String[] names = {"time", "thread", "stack", "cpu", "value", sixth, seventh};
      json.key(name).open('{');
      for (int column = 0; column < WIDTH; column++) {
        if (!names[column].isEmpty()) {
          json.key(names[column]).open('[');
          for (int row = 0; row < count; row++) {
            json.value(numbers[row * WIDTH + column]);
          }
          json.close(']');
        }
      }
      json.close('}');
    }
  }
}
