package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.wire.FormatException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The small formats of {@code /ingest}: folded, lines, trie and tree. */
final class TextFormats {
  private final byte[] bytes;
  private final NamedStacks stacks;
  private int at;

  private TextFormats(byte[] bytes, NamedStacks stacks) {
    this.bytes = bytes;
    this.stacks = stacks;
  }

  /** {@code a;b;c 12}, a line each. */
  static void folded(byte[] bytes, NamedStacks stacks) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    int number = 0;
    for (String line : (Iterable<String>) text.lines()::iterator) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      int space = line.lastIndexOf(' ');
      String count = line.substring(space + 1).strip();
      if (space <= 0 || !count.matches("\\d{1,18}")) {
        throw new FormatException(
            "line %d has no count at its end; write 'main;function 42'".formatted(number));
      }
      stacks.addFolded(line.substring(0, space), Long.parseLong(count));
    }
  }

  /** {@code a;b;c}, a line a sample. */
  static void lines(byte[] bytes, NamedStacks stacks) {
    new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.isBlank())
        .forEach(line -> stacks.addFolded(line, 1));
  }

  /** Nodes from the root down: a frame's name, its value, the number of its children. */
  static void tree(byte[] bytes, NamedStacks stacks) {
    new TextFormats(bytes, stacks).nodes(true);
  }

  /** The same of a trie: names are parts of folded stacks, to be joined. */
  static void trie(byte[] bytes, NamedStacks stacks) {
    new TextFormats(bytes, stacks).nodes(false);
  }

  /** The way to a node: what it began with, and how many children are still to come. */
  private static final class Way {
    int depth;
    long[] left = new long[64];
    int[] lengths = new int[64];
    byte[] text = new byte[1024];
    int length;

    void down(byte[] name, int from, int count, boolean separate, long children) {
      if (depth == left.length) {
        left = Arrays.copyOf(left, depth * 2);
        lengths = Arrays.copyOf(lengths, depth * 2);
      }
      lengths[depth] = length;
      left[depth++] = children;
      if (length + count + 1 > text.length) {
        text = Arrays.copyOf(text, Math.max(text.length * 2, length + count + 1));
      }
      if (separate && length > 0) {
        text[length++] = ';';
      }
      System.arraycopy(name, from, text, length, count);
      length += count;
    }

    /** Leaves nodes that have no more children. */
    void up() {
      while (depth > 0 && left[depth - 1] == 0) {
        depth--;
        length = lengths[depth];
      }
    }

    String stack() {
      return new String(text, 0, length, StandardCharsets.UTF_8);
    }
  }

  private void nodes(boolean separate) {
    Way way = new Way();
    int maxDepth = 1 << 14;
    do {
      long nameLength = varint();
      if (nameLength < 0 || nameLength > bytes.length - at) {
        throw new FormatException("a name of %d bytes at byte %d".formatted(nameLength, at));
      }
      int from = at;
      at += (int) nameLength;
      long value = varint();
      long children = varint();
      if (children < 0 || children > bytes.length - at || value < 0 || way.depth > maxDepth) {
        throw new FormatException("not a tree of stacks at byte %d".formatted(at));
      }
      if (way.depth > 0) {
        way.left[way.depth - 1]--;
      }
      way.down(bytes, from, (int) nameLength, separate, children);
      if (way.length > 1 << 17) {
        throw new FormatException("a stack of more than 128 KB at byte %d".formatted(at));
      }
      if (value > 0) {
        stacks.addFolded(way.stack(), value);
      }
      way.up();
    } while (way.depth > 0);
  }

  private long varint() {
    long result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= bytes.length) {
        throw new FormatException("the tree is cut short");
      }
      byte b = bytes[at++];
      result |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return result;
      }
    }
    throw new FormatException("a number of more than 64 bits at byte %d".formatted(at));
  }
}
