package dev.plumb.export.flame;

import dev.plumb.export.wire.Json;
import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Symbol;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * A merged tree in columns, as the scripts of both pages read it: a node is its depth and its
 * symbol; parents come before their children, and the heaviest child comes first.
 *
 * <p>A server sends the columns as JSON ({@link #writeTo(Json)}). A file has them as
 * variable-length numbers, deflated (zlib), in base64 ({@link #writePackedTo}):
 *
 * <pre>
 *  strings   count, {length, UTF-8} …
 *  symbols   count, {name, module, kind &lt;&lt; 2 | named &lt;&lt; 1 | inlined} …
 *  nodes     count, columns
 *            for each node: levels up from the one before
 *            for each node: symbol
 *            for each column: for each node: self
 *  cut       count, {node − last, total of its cut children × columns} …
 * </pre>
 */
final class TreeColumns {
  private final CallTree tree;
  private final int[] order;
  private final int[] depths;

  /** By position; the number of a symbol is its index in {@link #symbols}. */
  private final int[] nodeSymbols;

  /** Of the tree's symbols, those that a node has. */
  private final List<Symbol> symbols = new ArrayList<>();

  private final List<String> strings = new ArrayList<>();
  private final int[] names;
  private final int[] modules;
  private int count;

  TreeColumns(CallTree tree) {
    this.tree = tree;
    this.order = new int[tree.size()];
    this.depths = new int[tree.size()];
    this.nodeSymbols = new int[tree.size()];
    // By the tree's number of a symbol: ours plus 1, or 0 as long as it has none.
    int[] numbers = new int[tree.symbols().size()];
    tree.walk(
        (node, depth) -> {
          int id = tree.symbolId(node);
          if (numbers[id] == 0) {
            symbols.add(tree.symbols().get(id));
            numbers[id] = symbols.size();
          }
          order[count] = node;
          depths[count] = depth;
          nodeSymbols[count++] = numbers[id] - 1;
          return true;
        });
    Map<String, Integer> ids = new HashMap<>();
    names = new int[symbols.size()];
    modules = new int[symbols.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = id(symbols.get(i).name(), ids);
      modules[i] = id(symbols.get(i).module(), ids);
    }
  }

  private int id(String text, Map<String, Integer> ids) {
    Integer known = ids.putIfAbsent(text, strings.size());
    if (known != null) {
      return known;
    }
    strings.add(text);
    return strings.size() - 1;
  }

  private int flags(int number) {
    Symbol symbol = symbols.get(number);
    return symbol.kind().ordinal() << 2 | (symbol.named() ? 2 : 0) | (symbol.inlined() ? 1 : 0);
  }

  private boolean isCut(int position) {
    for (int column = 0; column < tree.columns(); column++) {
      if (tree.cut(order[position], column) != 0) {
        return true;
      }
    }
    return false;
  }

  /** A number for each symbol or node. */
  @FunctionalInterface
  private interface Column {
    long at(int position);
  }

  private static void put(Json json, int length, Column column) {
    json.open('[');
    for (int i = 0; i < length; i++) {
      json.value(column.at(i));
    }
    json.close(']');
  }

  /** Puts the columns into an object. */
  void writeTo(Json json) {
    json.key("strings").open('[');
    strings.forEach(json::value);
    json.close(']').key("symbols").open('{').key("names");
    put(json, names.length, i -> names[i]);
    put(json.key("modules"), names.length, i -> modules[i]);
    put(json.key("flags"), names.length, this::flags);
    json.close('}').key("nodes").open('{').key("depths");
    put(json, count, i -> depths[i]);
    put(json.key("symbols"), count, i -> nodeSymbols[i]);
    json.key("self").open('[');
    for (int column = 0; column < tree.columns(); column++) {
      int from = column;
      put(json, count, i -> tree.self(order[i], from));
    }
    json.close(']').close('}').key("cut").open('{');
    int[] cut = IntStream.range(0, count).filter(this::isCut).toArray();
    put(json.key("nodes"), cut.length, i -> cut[i]);
    json.key("totals").open('[');
    for (int column = 0; column < tree.columns(); column++) {
      int from = column;
      put(json, cut.length, i -> tree.cut(order[cut[i]], from));
    }
    json.close(']').close('}');
  }

  /** Writes the columns in the form that a file holds. */
  void writePackedTo(OutputStream out) throws IOException {
    OutputStream base64 = Base64.getEncoder().wrap(new Unclosed(out));
    Deflater deflater = new Deflater(2);
    try (DeflaterOutputStream deflated = new DeflaterOutputStream(base64, deflater, 64 * 1024)) {
      writeTables(deflated);
      writeNodes(deflated);
      writeCuts(deflated);
    } finally {
      deflater.end();
    }
  }

  private void writeTables(OutputStream out) throws IOException {
    VarOut tables = new VarOut().number(strings.size());
    strings.forEach(tables::text);
    tables.number(names.length);
    for (int i = 0; i < names.length; i++) {
      tables.number(names[i]).number(modules[i]).number(flags(i));
    }
    tables.writeTo(out);
  }

  private void writeNodes(OutputStream out) throws IOException {
    VarOut column = new VarOut().number(count).number(tree.columns());
    int lastDepth = -1;
    for (int depth : depths) {
      column.number(lastDepth + 1 - depth);
      lastDepth = depth;
    }
    for (int symbol : nodeSymbols) {
      column.number(symbol);
    }
    column.writeTo(out);
    for (int c = 0; c < tree.columns(); c++) {
      column.clear();
      for (int node : order) {
        column.number(tree.self(node, c));
      }
      column.writeTo(out);
    }
  }

  private void writeCuts(OutputStream out) throws IOException {
    VarOut cuts = new VarOut();
    int parents = 0;
    int last = 0;
    for (int i = 0; i < count && tree.cutStacks() > 0; i++) {
      if (isCut(i)) {
        cuts.number(i - last);
        last = i;
        for (int column = 0; column < tree.columns(); column++) {
          cuts.number(tree.cut(order[i], column));
        }
        parents++;
      }
    }
    new VarOut().number(parents).writeTo(out);
    cuts.writeTo(out);
  }

  /** Base64 writes its last characters on close, but the page goes on after them. */
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
