package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Symbol;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A call tree as text: total and self, then the frame; a chain of single calls stays in line. */
public final class TreePrinter {
  private final PrintWriter out;
  private final Colours colours;

  /** The node whose small children were summed up last. */
  private int lastLeft = -1;

  public TreePrinter(PrintWriter out, Colours colours) {
    this.out = out;
    this.colours = colours;
  }

  /** Leaves out what is below {@code smallest}, a share of all, and says how much that is. */
  public void print(Profile profile, int type, double smallest) {
    CallTree tree = CallTree.of(profile, type);
    if (tree.total(0, 0) == 0) {
      out.println("nothing was measured");
      return;
    }
    double least = Math.max(1, tree.total(0, 0) * smallest);
    out.println(
        colours.soft(
            "   TOTAL      SELF  FRAME (shares of %s)"
                .formatted(Summary.amount(tree.total(0, 0), profile, type))));
    List<String> indents = new ArrayList<>();
    tree.walk(
        (node, depth) -> {
          int parent = tree.parent(node);
          if (tree.total(node, 0) < least) {
            // Children come in falling order: all that follow are as small.
            if (lastLeft != parent) {
              lastLeft = parent;
              left(tree, parent, indents.get(depth - 1), least);
            }
            return false;
          }
          while (indents.size() <= depth) {
            indents.add("");
          }
          indents.set(depth, indent(tree, node, depth, indents, least));
          if (!continuesRun(tree, node, least)) {
            boolean alone = depth > 0 && onlyChild(tree, parent, least) == node;
            line(tree, node, indents.get(depth) + (alone ? "  " : "- "), least);
          }
          return true;
        });
  }

  /** The one child in sight, or -1 if there are none or several. */
  private static int onlyChild(CallTree tree, int node, double least) {
    int first = tree.firstChild(node);
    if (first < 0 || tree.total(first, 0) < least) {
      return -1;
    }
    int second = tree.nextSibling(first);
    return second >= 0 && tree.total(second, 0) >= least ? -1 : first;
  }

  /** Whether a node is the same function as the one above it and stands in its line. */
  private static boolean continuesRun(CallTree tree, int node, double least) {
    int parent = tree.parent(node);
    return parent >= 0
        && tree.symbolId(parent) == tree.symbolId(node)
        && onlyChild(tree, parent, least) == node;
  }

  /** Deeper than the parent only where the parent has more than one child in sight. */
  private static String indent(
      CallTree tree, int node, int depth, List<String> indents, double least) {
    if (depth == 0) {
      return "";
    }
    boolean alone = onlyChild(tree, tree.parent(node), least) == node;
    return indents.get(depth - 1) + (alone ? "" : "  ");
  }

  private void line(CallTree tree, int node, String indent, double least) {
    Symbol symbol = tree.symbol(node);
    long self = tree.self(node, 0);
    int times = 1;
    int next = onlyChild(tree, node, least);
    while (next >= 0 && continuesRun(tree, next, least)) {
      self += tree.self(next, 0);
      times++;
      next = onlyChild(tree, next, least);
    }
    String mark =
        symbol.inlined()
            ? " (inlined)"
            : switch (symbol.kind()) {
              case KERNEL -> " [kernel]";
              case JIT -> " [jit]";
              case INTERPRETED -> " [interpreted]";
              default -> "";
            };
    out.println(
        "%9s %9s  %s%s%s"
            .formatted(
                Amount.percent(tree.total(node, 0), tree.total(0, 0)),
                self == 0 ? "" : Amount.percent(self, tree.total(0, 0)),
                indent,
                ShownNames.clean(symbol.name()),
                colours.soft(times > 1 ? mark + " × " + times : mark)));
  }

  /** A line for the children that are too small for one each, if they count together. */
  private void left(CallTree tree, int node, String indent, double least) {
    long sum = 0;
    int count = 0;
    for (int child = tree.firstChild(node); child >= 0; child = tree.nextSibling(child)) {
      if (tree.total(child, 0) < least) {
        sum += tree.total(child, 0);
        count++;
      }
    }
    if (sum >= least && sum > 0) {
      out.println(
          colours.soft(
              "%9s %9s  %s    … %d smaller"
                  .formatted(Amount.percent(sum, tree.total(0, 0)), "", indent, count)));
    }
  }
}
