package dev.plumb.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What one mode measured: rows of {stack, thread, labels} with a value for each type.
 *
 * <p>{@code mode} is its name on the command line ({@code cpu}, {@code offcpu}, …); {@code name} is
 * Pyroscope's ({@code process_cpu}, {@code off_cpu}). The main type is the one that views show by
 * default.
 */
public final class Profile {
  private final String mode;
  private final String name;
  private final List<ValueType> types;
  private final int mainType;
  private final ValueType periodType;
  private final long period;
  private final StackTable stacks;
  private final List<ThreadInfo> threads;
  private final List<Labels> labels;
  private final int[] rowStack;
  private final int[] rowThread;
  private final int[] rowLabels;
  private final long[][] values;
  private final Timeline timeline;
  private final Quality quality;

  private Profile(Builder b, StackTable stacks, Timeline timeline, Quality quality) {
    this.mode = b.mode;
    this.name = b.name;
    this.types = b.types;
    this.mainType = b.mainType;
    this.periodType = b.periodType;
    this.period = b.period;
    this.stacks = stacks;
    this.threads = List.copyOf(b.threads);
    this.labels = List.copyOf(b.labels);
    this.rowStack = Arrays.copyOf(b.rowStack, b.rows);
    this.rowThread = Arrays.copyOf(b.rowThread, b.rows);
    this.rowLabels = Arrays.copyOf(b.rowLabels, b.rows);
    this.values = new long[types.size()][];
    for (int t = 0; t < values.length; t++) {
      values[t] = Arrays.copyOf(b.values[t], b.rows);
    }
    this.timeline = timeline;
    this.quality = quality;
  }

  private Profile(Profile other, Quality quality) {
    this.mode = other.mode;
    this.name = other.name;
    this.types = other.types;
    this.mainType = other.mainType;
    this.periodType = other.periodType;
    this.period = other.period;
    this.stacks = other.stacks;
    this.threads = other.threads;
    this.labels = other.labels;
    this.rowStack = other.rowStack;
    this.rowThread = other.rowThread;
    this.rowLabels = other.rowLabels;
    this.values = other.values;
    this.timeline = other.timeline;
    this.quality = quality;
  }

  /** The same with another quality. */
  public Profile withQuality(Quality other) {
    return new Profile(this, other);
  }

  public String mode() {
    return mode;
  }

  public String name() {
    return name;
  }

  public List<ValueType> types() {
    return types;
  }

  /** The index of the type that views show by default. */
  public int mainType() {
    return mainType;
  }

  /** The index of the type with this name. */
  public OptionalInt type(String name) {
    return IntStream.range(0, types.size())
        .filter(i -> types.get(i).name().equals(name))
        .findFirst();
  }

  /** The index of the type that counts samples or events, if there is one. */
  public OptionalInt countType() {
    return IntStream.range(0, types.size())
        .filter(i -> types.get(i).unit().equals("count"))
        .findFirst();
  }

  /**
   * What a sample stands for, e.g. 10 101 010 nanoseconds of cpu. If nothing is sampled, the period
   * is 0 and the type is none, unless Pyroscope has a period type for such profiles.
   */
  public ValueType periodType() {
    return periodType;
  }

  public long period() {
    return period;
  }

  public StackTable stacks() {
    return stacks;
  }

  public List<ThreadInfo> threads() {
    return threads;
  }

  public int rows() {
    return rowStack.length;
  }

  public int stack(int row) {
    return rowStack[row];
  }

  public ThreadInfo thread(int row) {
    return threads.get(rowThread[row]);
  }

  public int threadId(int row) {
    return rowThread[row];
  }

  public Labels labels(int row) {
    return labels.get(rowLabels[row]);
  }

  public int labelsId(int row) {
    return rowLabels[row];
  }

  /** All sets of labels, by id. */
  public List<Labels> labelSets() {
    return labels;
  }

  public long value(int row, int type) {
    return values[type][row];
  }

  public long total(int type) {
    return Arrays.stream(values[type]).sum();
  }

  public Timeline timeline() {
    return timeline;
  }

  public Quality quality() {
    return quality;
  }

  /** Collects rows; samples with equal stack, thread and labels are added up in one row. */
  public static final class Builder {
    private final String mode;
    private final String name;
    private final List<ValueType> types;
    private final int mainType;
    private final ValueType periodType;
    private final long period;
    private final List<ThreadInfo> threads = new ArrayList<>();
    private final Map<ThreadInfo, Integer> threadIds = new HashMap<>();
    private final List<Labels> labels = new ArrayList<>();
    private final Map<Labels, Integer> labelIds = new HashMap<>();
    private int rows;
    private int[] rowStack = new int[1024];
    private int[] rowThread = new int[1024];
    private int[] rowLabels = new int[1024];
    private final long[][] values;

    /** Open addressing over row numbers + 1; grown at half full. */
    private int[] slots = new int[4096];

    public Builder(
        String mode,
        String name,
        List<ValueType> types,
        int mainType,
        ValueType periodType,
        long period) {
      this.mode = mode;
      this.name = name;
      this.types = List.copyOf(types);
      this.mainType = mainType;
      this.periodType = periodType;
      this.period = period;
      this.values = new long[types.size()][1024];
    }

    public int thread(ThreadInfo thread) {
      return idOf(thread, threads, threadIds);
    }

    public int labels(Labels set) {
      return idOf(set, labels, labelIds);
    }

    /** The number of rows so far. */
    public int rowCount() {
      return rows;
    }

    public int threadCount() {
      return threads.size();
    }

    public int labelCount() {
      return labels.size();
    }

    private static <T> int idOf(T item, List<T> items, Map<T, Integer> ids) {
      Integer known = ids.putIfAbsent(item, items.size());
      if (known != null) {
        return known;
      }
      items.add(item);
      return items.size() - 1;
    }

    /** The row for these; a new one has zero values. */
    public int row(int stack, int thread, int labelSet) {
      int slot = slotOf(stack, thread, labelSet);
      if (slots[slot] != 0) {
        return slots[slot] - 1;
      }
      if (rows == rowStack.length) {
        grow();
      }
      rowStack[rows] = stack;
      rowThread[rows] = thread;
      rowLabels[rows] = labelSet;
      slots[slot] = ++rows;
      if (rows * 2 > slots.length) {
        rehash();
      }
      return rows - 1;
    }

    public void add(int row, int type, long value) {
      values[type][row] += value;
    }

    private int slotOf(int stack, int thread, int labelSet) {
      int slot = hash(stack, thread, labelSet) & (slots.length - 1);
      while (slots[slot] != 0) {
        int row = slots[slot] - 1;
        if (rowStack[row] == stack && rowThread[row] == thread && rowLabels[row] == labelSet) {
          break;
        }
        slot = (slot + 1) & (slots.length - 1);
      }
      return slot;
    }

    private static int hash(int stack, int thread, int labelSet) {
      int h = stack * 0x9E3779B1 ^ thread * 0x85EBCA77 ^ labelSet * 0xC2B2AE3D;
      return h ^ h >>> 16;
    }

    private void rehash() {
      slots = new int[slots.length * 2];
      for (int row = 0; row < rows; row++) {
        slots[slotOf(rowStack[row], rowThread[row], rowLabels[row])] = row + 1;
      }
    }

    private void grow() {
      int size = rows * 2;
      rowStack = Arrays.copyOf(rowStack, size);
      rowThread = Arrays.copyOf(rowThread, size);
      rowLabels = Arrays.copyOf(rowLabels, size);
      for (int t = 0; t < values.length; t++) {
        values[t] = Arrays.copyOf(values[t], size);
      }
    }

    /** {@code stacks} must contain every stack id that was passed. */
    public Profile build(StackTable stacks, Timeline timeline, Quality quality) {
      return new Profile(this, stacks, timeline, quality);
    }
  }
}
