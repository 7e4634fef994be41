package dev.plumb.server.pyroscope.query;

import dev.plumb.profile.ProfileType;
import dev.plumb.server.pyroscope.query.NameTree.Child;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Who calls whom, for Graphviz: a function is one node, however it was reached. */
final class DotGraph {
  /** A picture of more nodes is of no use to anybody. */
  private static final int MOST_NODES = 200;

  private record Edge(String from, String to) {}

  private final Map<String, long[]> nodes = new LinkedHashMap<>();
  private final Map<Edge, Long> edges = new LinkedHashMap<>();
  private final ProfileType type;
  private final long total;

  private DotGraph(NameTree tree, ProfileType type, long maxNodes) {
    this.type = type;
    this.total = tree.root().total()[0];
    long smallest = tree.smallestOf(Math.min(maxNodes, MOST_NODES));
    Deque<Path> open = new ArrayDeque<>();
    for (Child child : tree.shown(tree.root(), smallest)) {
      open.push(new Path(child, null));
    }
    while (!open.isEmpty()) {
      Path path = open.pop();
      count(path);
      for (Child child : tree.shown(path.node(), smallest)) {
        open.push(new Path(child, path));
      }
    }
  }

  /** A node and what leads to it; null above the topmost. */
  private record Path(Child node, Path above) {
    /** A recursive function counts once. */
    boolean isNew() {
      for (Path at = above; at != null; at = at.above()) {
        if (at.node().name().equals(node.name())) {
          return false;
        }
      }
      return true;
    }
  }

  private void count(Path path) {
    Child node = path.node();
    long[] values = nodes.computeIfAbsent(node.name(), _ -> new long[2]);
    values[0] += node.self()[0];
    values[1] += path.isNew() ? node.total()[0] : 0;
    if (path.above() != null) {
      edges.merge(new Edge(path.above().node().name(), node.name()), node.total()[0], Long::sum);
    }
  }

  static String of(NameTree tree, ProfileType type, long maxNodes) {
    return new DotGraph(tree, type, maxNodes).text();
  }

  private String text() {
    StringBuilder out = new StringBuilder("digraph \"plumb\" {\n");
    out.append("node [style=filled fillcolor=\"#f8f8f8\"]\n");
    out.append(
        "subgraph cluster_L { \"Type: %s\" [shape=box fontsize=16 label=\"Type: %s\\lTotal: %s\\l\"] }\n"
            .formatted(escape(type.sampleType()), escape(type.sampleType()), amount(total)));
    Map<String, Integer> numbers = new TreeMap<>();
    nodes.forEach(
        (name, values) -> {
          int number = numbers.size() + 1;
          numbers.put(name, number);
          out.append(
              "N%d [label=\"%s\\n%s of %s (%s)\" id=\"node%d\" fontsize=%d shape=box tooltip=\"%s (%s)\"]\n"
                  .formatted(
                      number,
                      escape(name),
                      amount(values[0]),
                      amount(values[1]),
                      share(values[1]),
                      number,
                      8 + (int) (16 * Math.sqrt(part(values[0]))),
                      escape(name),
                      amount(values[1])));
        });
    edges.forEach(
        (edge, value) ->
            out.append(
                "N%d -> N%d [label=\" %s\" weight=%d penwidth=%d]\n"
                    .formatted(
                        numbers.get(edge.from()),
                        numbers.get(edge.to()),
                        amount(value),
                        1 + (int) (100 * part(value)),
                        1 + (int) (5 * part(value)))));
    return out.append("}\n").toString();
  }

  private double part(long value) {
    return total == 0 ? 0 : Math.clamp((double) value / total, 0, 1);
  }

  private String share(long value) {
    return String.format(java.util.Locale.ROOT, "%.2f%%", 100 * part(value));
  }

  private String amount(long value) {
    return type.sampleUnit().equals("nanoseconds")
        ? String.format(java.util.Locale.ROOT, "%.2fs", value / 1e9)
        : Long.toString(value);
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
