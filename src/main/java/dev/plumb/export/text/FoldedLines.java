package dev.plumb.export.text;

import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Symbol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;

/** Walks a tree and gives each node's stack as folded text. */
public final class FoldedLines {
  private final CallTree tree;
  private final Taker taker;
  private final byte[][] names;
  private byte[] line = new byte[4096];

  /** Where the text ends at each depth. */
  private int[] ends = new int[64];

  private int depth;

  /** Takes a node and the text of its stack. */
  @FunctionalInterface
  public interface Taker {
    void node(int node, FoldedLines line) throws IOException;
  }

  public FoldedLines(CallTree tree, Taker taker) {
    this.tree = tree;
    this.taker = taker;
    List<Symbol> symbols = tree.symbols();
    names = new byte[symbols.size()][];
    Arrays.setAll(names, i -> TextOut.utf8(FoldedWriter.text(symbols.get(i))));
  }

  /** Throws an IOException of the taker as an UncheckedIOException. */
  public void write() {
    tree.walk(
        (node, nodeDepth) -> {
          depth = nodeDepth;
          if (nodeDepth == 0) {
            return true;
          }
          append(node);
          try {
            taker.node(node, this);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return true;
        });
  }

  public TextOut putInto(TextOut out) throws IOException {
    return out.bytes(line, ends[depth]);
  }

  private void append(int node) {
    if (depth >= ends.length) {
      ends = Arrays.copyOf(ends, depth * 2);
    }
    byte[] name = names[tree.symbolId(node)];
    int at = ends[depth - 1];
    if (at + name.length + 1 > line.length) {
      line = Arrays.copyOf(line, Math.max(line.length * 2, at + name.length + 1));
    }
    if (at > 0) {
      line[at++] = ';';
    }
    System.arraycopy(name, 0, line, at, name.length);
    ends[depth] = at + name.length;
  }
}
