package dev.plumb.server.pyroscope.query;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.server.pyroscope.query.NameTree.Child;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows of a flame graph as Pyroscope sends them. A bar is {offset, total, self} for each
 * column, then the number of its name; an offset counts from the end of the bar before it.
 */
final class FlameGraph {
  private static final int NAMES = 1;
  private static final int LEVELS = 2;
  private static final int TOTAL = 3;
  private static final int MAX_SELF = 4;
  private static final int LEFT_TICKS = 5;
  private static final int RIGHT_TICKS = 6;
  private static final int LEVEL_VALUES = 1;

  private final int columns;
  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> nameIds = new HashMap<>();
  private final List<long[]> levels;
  private final long[] total;
  private long maxSelf;

  private record Place(Child node, int depth, long[] x) {}

  private FlameGraph(NameTree tree, long maxNodes) {
    columns = tree.columns();
    total = tree.root().total();
    long smallest = tree.smallestOf(maxNodes);
    List<List<long[]>> rows = new ArrayList<>();
    Deque<Place> open = new ArrayDeque<>();
    open.push(new Place(tree.root(), 0, new long[columns]));
    while (!open.isEmpty()) {
      Place place = open.pop();
      if (place.depth() == rows.size()) {
        rows.add(new ArrayList<>());
      }
      rows.get(place.depth()).add(bar(place));
      long[] x = place.x().clone();
      add(x, place.node().self());
      // The last child is the first to be looked at: rows fill from the right, names too.
      for (Child child : tree.shown(place.node(), smallest)) {
        open.push(new Place(child, place.depth() + 1, x.clone()));
        add(x, child.total());
      }
    }
    levels = rows.stream().map(this::level).toList();
  }

  static FlameGraph of(NameTree tree, long maxNodes) {
    return new FlameGraph(tree, maxNodes);
  }

  private static void add(long[] x, long[] values) {
    Arrays.setAll(x, i -> x[i] + values[i]);
  }

  private long[] bar(Place place) {
    Child node = place.node();
    int name = nameIds.computeIfAbsent(node.name(), _ -> names.size());
    if (name == names.size()) {
      names.add(node.name());
    }
    long[] bar = new long[3 * columns + 1];
    for (int column = 0; column < columns; column++) {
      bar[3 * column] = place.x()[column];
      bar[3 * column + 1] = node.total()[column];
      bar[3 * column + 2] = node.self()[column];
      maxSelf = Math.max(maxSelf, node.self()[column]);
    }
    bar[3 * columns] = name;
    return bar;
  }

  /** From the left, offsets as differences. */
  private long[] level(List<long[]> fromTheRight) {
    int width = 3 * columns + 1;
    long[] level = new long[width * fromTheRight.size()];
    long[] end = new long[columns];
    for (int i = 0; i < fromTheRight.size(); i++) {
      long[] bar = fromTheRight.get(fromTheRight.size() - 1 - i);
      System.arraycopy(bar, 0, level, i * width, width);
      for (int column = 0; column < columns; column++) {
        level[i * width + 3 * column] = bar[3 * column] - end[column];
        end[column] = bar[3 * column] + bar[3 * column + 1];
      }
    }
    return level;
  }

  List<String> names() {
    return names;
  }

  List<long[]> levels() {
    return levels;
  }

  long total(int column) {
    return total[column];
  }

  long allTotals() {
    return Arrays.stream(total).sum();
  }

  long maxSelf() {
    return maxSelf;
  }

  ProtoOut encode() {
    ProtoOut out = new ProtoOut();
    names.forEach(name -> out.element(NAMES, name));
    ProtoOut values = new ProtoOut();
    ProtoOut level = new ProtoOut();
    for (long[] bars : levels) {
      values.clear();
      for (long value : bars) {
        values.varint(value);
      }
      level.clear();
      out.message(LEVELS, level.message(LEVEL_VALUES, values));
    }
    out.number(TOTAL, allTotals()).number(MAX_SELF, maxSelf);
    if (columns == 2) {
      out.number(LEFT_TICKS, total[0]).number(RIGHT_TICKS, total[1]);
    }
    return out;
  }

  /** Pyroscope's own bytes: each node's name, self and number of children, from the root down. */
  static byte[] treeBytes(NameTree tree, long maxNodes) {
    long smallest = tree.smallestOf(maxNodes);
    ProtoOut out = new ProtoOut();
    Deque<Child> open = new ArrayDeque<>();
    Child root = tree.root();
    open.push(new Child(root.node(), "", root.total(), root.self()));
    while (!open.isEmpty()) {
      Child node = open.pop();
      byte[] name = node.name().getBytes(java.nio.charset.StandardCharsets.UTF_8);
      out.varint(name.length);
      out.raw(name);
      out.varint(node.self()[0]);
      List<Child> children = tree.shown(node, smallest);
      out.varint(children.size());
      children.forEach(open::push);
    }
    return out.toBytes();
  }
}
