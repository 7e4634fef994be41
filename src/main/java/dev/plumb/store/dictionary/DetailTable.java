package dev.plumb.store.dictionary;

import dev.plumb.profile.Labels;
import dev.plumb.store.database.StoreLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Numbers labels with many values, such as a thread's waker: samples have them, sums do not.
 *
 * <p>Memory is bounded because only the latest are remembered. A set of labels that comes back
 * later gets another number, which costs a row and changes no result.
 */
public final class DetailTable {
  /** A set of such labels. */
  public record Entry(int id, Labels labels) {}

  static final int NONE = 0;

  /** Known to be many from the start. */
  private static final Set<String> ALWAYS =
      Set.of("waker", "waker_stack", "address", "holder", "allocated", "first_free");

  private static final int MAX_VALUES = 1000;
  private static final int MAX_REMEMBERED = 20_000;

  private final Map<Labels, Integer> ids =
      new LinkedHashMap<>(1024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Labels, Integer> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };
  private final List<Entry> toStore = new ArrayList<>();
  private final Map<String, Set<String>> values = new HashMap<>();
  private final Set<String> names = new HashSet<>(ALWAYS);
  private int nextId = NONE + 1;
  private int firstId = nextId;

  /** Whether a label has too many values to sum by. */
  public synchronized boolean isDetail(String name, String value) {
    if (names.contains(name)) {
      return true;
    }
    Set<String> seen = values.computeIfAbsent(name, n -> new HashSet<>());
    seen.add(value);
    if (seen.size() > MAX_VALUES) {
      names.add(name);
      values.remove(name);
      return true;
    }
    return false;
  }

  /** Names of labels that samples may have in addition to those of their series. */
  public synchronized Set<String> names() {
    return Set.copyOf(names);
  }

  public synchronized void restoreName(String name) {
    names.add(name);
  }

  public synchronized void startAt(int id) {
    nextId = Math.max(nextId, id);
    firstId = nextId;
  }

  public synchronized int id(Labels labels) {
    if (labels.values().isEmpty()) {
      return NONE;
    }
    Integer known = ids.putIfAbsent(labels, nextId);
    if (known != null) {
      return known;
    }
    toStore.add(new Entry(nextId, labels));
    return nextId++;
  }

  public synchronized int nextId() {
    return nextId;
  }

  /** Whether the current dictionary holds more details than it should. */
  public synchronized boolean isLarge(StoreLimits limits) {
    return nextId - firstId > limits.stacks() / 4;
  }

  /** Begins a new dictionary, in which known labels get new numbers. */
  public synchronized void forget() {
    ids.clear();
    firstId = nextId;
  }

  public synchronized List<Entry> toStore() {
    return List.copyOf(toStore);
  }

  public synchronized void stored(int count) {
    toStore.subList(0, count).clear();
  }
}
