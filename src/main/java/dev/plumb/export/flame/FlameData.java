package dev.plumb.export.flame;

import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Symbol;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * A merged tree as the page's script reads it: columns of variable-length numbers, deflated (zlib),
 * in base64.
 *
 * <pre>
 *  strings   count, {length, UTF-8} …
 *  symbols   count, {name, module, kind &lt;&lt; 2 | named &lt;&lt; 1 | inlined} …
 *  nodes     count, columns
 *            for each node, parents first, the heaviest child first: levels up from the one before
 *            for each node: symbol
 *            for each column: for each node: self
 *  cut       count, {node − last, total of its cut children × columns} …
 * </pre>
 *
 * Trees are given without nodes too small to be seen ({@link #SMALLEST_PART}); what those held
 * stands with their parents.
 */
final class FlameData {
  /** Trees up to this size are shown whole. */
  static final int KEEP_ALL = 200_000;

  /** Of larger ones, what is below this share of the whole is cut. */
  static final int SMALLEST_PART = 100_000;

  private final CallTree tree;
  private final int[] columns;
  private final VarOut levels = new VarOut();
  private final VarOut symbolIds = new VarOut();
  private final VarOut[] self;
  private final VarOut cuts = new VarOut();

  /** What the file calls each symbol of the tree, plus 1; 0 where it is not named yet. */
  private final int[] symbolNumbers;

  private final List<Symbol> symbols = new ArrayList<>();
  private int nodes;
  private int lastDepth = -1;
  private int lastCut;
  private int cutParents;
  private final long[] cutTotals;

  /** {@code columns} of the tree are written, in that order. */
  FlameData(CallTree tree, int... columns) {
    this.tree = tree;
    this.columns = columns;
    this.symbolNumbers = new int[tree.symbols().size()];
    this.self = new VarOut[columns.length];
    Arrays.setAll(self, i -> new VarOut());
    this.cutTotals = new long[columns.length];
    tree.walk(this::node);
  }

  /** Stacks that end in a node that was cut. */
  int cutStacks() {
    return tree.cutStacks();
  }

  /** What they hold together below the nodes that are shown, in the column of that position. */
  long cutTotal(int position) {
    return cutTotals[position];
  }

  private boolean node(int node, int depth) {
    levels.number(lastDepth + 1 - depth);
    lastDepth = depth;
    symbolIds.number(symbol(tree.symbolId(node)));
    boolean cut = false;
    for (int i = 0; i < columns.length; i++) {
      self[i].number(tree.self(node, columns[i]));
      cutTotals[i] += tree.cut(node, columns[i]);
      cut |= tree.cut(node, columns[i]) != 0;
    }
    if (cut) {
      cuts.number(nodes - lastCut);
      lastCut = nodes;
      for (int column : columns) {
        cuts.number(tree.cut(node, column));
      }
      cutParents++;
    }
    nodes++;
    return true;
  }

  private int symbol(int id) {
    if (symbolNumbers[id] == 0) {
      symbols.add(tree.symbols().get(id));
      symbolNumbers[id] = symbols.size();
    }
    return symbolNumbers[id] - 1;
  }

  /** What is written, as text. */
  String text() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writeTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  void writeTo(OutputStream out) throws IOException {
    OutputStream base64 = Base64.getEncoder().wrap(new Unclosed(out));
    Deflater deflater = new Deflater(2);
    try (DeflaterOutputStream deflated = new DeflaterOutputStream(base64, deflater, 64 * 1024)) {
      names().writeTo(deflated);
      new VarOut().number(nodes).number(columns.length).writeTo(deflated);
      levels.writeTo(deflated);
      symbolIds.writeTo(deflated);
      for (VarOut column : self) {
        column.writeTo(deflated);
      }
      new VarOut().number(cutParents).writeTo(deflated);
      cuts.writeTo(deflated);
    } finally {
      deflater.end();
    }
  }

  private VarOut names() {
    Map<String, Integer> ids = new HashMap<>();
    List<String> strings = new ArrayList<>();
    VarOut table = new VarOut();
    for (Symbol symbol : symbols) {
      table.number(id(symbol.name(), ids, strings)).number(id(symbol.module(), ids, strings));
      table.number(
          (long) symbol.kind().ordinal() << 2
              | (symbol.named() ? 2 : 0)
              | (symbol.inlined() ? 1 : 0));
    }
    VarOut names = new VarOut();
    names.number(strings.size());
    strings.forEach(names::text);
    names.number(symbols.size());
    return names.append(table);
  }

  private static int id(String text, Map<String, Integer> ids, List<String> strings) {
    Integer known = ids.putIfAbsent(text, strings.size());
    if (known != null) {
      return known;
    }
    strings.add(text);
    return strings.size() - 1;
  }

  /** Base64 writes its last characters on close, but the page goes on. */
  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
