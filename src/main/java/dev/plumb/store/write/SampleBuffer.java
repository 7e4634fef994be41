package dev.plumb.store.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rows that are not in the database yet, in columns. */
final class SampleBuffer {
  /** What rows of one thread have in common. */
  record Who(int series, int pid, int tid, long startNanos, String thread, int detail) {}

  private final List<Who> whos = new ArrayList<>();
  private final Map<Who, Integer> whoIds = new HashMap<>();
  private int size;
  private long[] micros = new long[1024];
  private int[] who = new int[1024];
  private int[] stack = new int[1024];
  private short[] cpu = new short[1024];
  private long[] value = new long[1024];
  private long[] count = new long[1024];

  int who(Who key) {
    Integer known = whoIds.putIfAbsent(key, whos.size());
    if (known != null) {
      return known;
    }
    whos.add(key);
    return whos.size() - 1;
  }

  void add(long timeMicros, int whoId, int stackId, int cpuNumber, long amount, long times) {
    if (size == micros.length) {
      grow(size * 2);
    }
    micros[size] = timeMicros;
    who[size] = whoId;
    stack[size] = stackId;
    cpu[size] = (short) cpuNumber;
    value[size] = amount;
    count[size++] = times;
  }

  private void grow(int room) {
    micros = Arrays.copyOf(micros, room);
    who = Arrays.copyOf(who, room);
    stack = Arrays.copyOf(stack, room);
    cpu = Arrays.copyOf(cpu, room);
    value = Arrays.copyOf(value, room);
    count = Arrays.copyOf(count, room);
  }

  void clear() {
    size = 0;
    whos.clear();
    whoIds.clear();
    if (micros.length > 1 << 17) {
      micros = new long[0];
      grow(1024);
    }
  }

  /** Removes the rows from this one on. */
  void cutTo(int row) {
    size = row;
  }

  int size() {
    return size;
  }

  long micros(int row) {
    return micros[row];
  }

  Who whoOf(int row) {
    return whos.get(who[row]);
  }

  int stack(int row) {
    return stack[row];
  }

  short cpu(int row) {
    return cpu[row];
  }

  long value(int row) {
    return value[row];
  }

  long count(int row) {
    return count[row];
  }
}
