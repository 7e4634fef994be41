package dev.plumb.symbols.demangle.itanium;

import java.util.Arrays;

/**
 * A parsed name: nodes in columns, each with up to three fields that are other nodes or numbers.
 * Nodes are shared, because a substitution is a reference. So this is a graph; its only cycles go
 * through template parameters, which the printer resolves.
 */
final class Tree {
  static final int NONE = -1;

  /** More than any real name has; limits the memory. */
  private static final int MAX_NODES = 1 << 17;

  private byte[] kinds;
  private int[] fields;
  private String[] texts = new String[8];
  private int size;
  private int textCount;

  Tree(int expected) {
    kinds = new byte[expected];
    fields = new int[3 * expected];
  }

  int add(int kind, int a, int b, int c) {
    if (size == kinds.length) {
      if (size >= MAX_NODES) {
        throw NotMangledException.INSTANCE;
      }
      kinds = Arrays.copyOf(kinds, 2 * size);
      fields = Arrays.copyOf(fields, 6 * size);
    }
    kinds[size] = (byte) kind;
    fields[3 * size] = a;
    fields[3 * size + 1] = b;
    fields[3 * size + 2] = c;
    return size++;
  }

  int add(int kind, int a, int b) {
    return add(kind, a, b, NONE);
  }

  int add(int kind, int a) {
    return add(kind, a, NONE, NONE);
  }

  int text(String text) {
    if (textCount == texts.length) {
      texts = Arrays.copyOf(texts, 2 * textCount);
    }
    texts[textCount] = text;
    return add(Kind.TEXT, textCount++);
  }

  String textOf(int node) {
    return texts[fields[3 * node]];
  }

  int kind(int node) {
    return kinds[node];
  }

  int a(int node) {
    return fields[3 * node];
  }

  int b(int node) {
    return fields[3 * node + 1];
  }

  int c(int node) {
    return fields[3 * node + 2];
  }

  void setA(int node, int value) {
    fields[3 * node] = value;
  }

  void setB(int node, int value) {
    fields[3 * node + 1] = value;
  }

  void setC(int node, int value) {
    fields[3 * node + 2] = value;
  }
}
