package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Changes types and adds some, then writes a BTF blob. Numbers of types stay as they are: a type
 * can become one of another kind only if that takes as many words.
 */
public final class BtfWriter {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int HEADER = 24;

  private int[] words;
  private int used;
  private int[] offsets;
  private int count;
  private byte[] strings;
  private int stringsUsed;

  /** Starts from another BTF's types. */
  public BtfWriter(Btf btf) {
    if (btf.firstId() != 1) {
      throw new BpfException("BTF: only whole BTF can be written, not split BTF");
    }
    this.words = btf.rawWords().clone();
    this.used = words.length;
    this.offsets = btf.rawOffsets().clone();
    this.count = offsets.length;
    this.strings = btf.rawStrings().clone();
    this.stringsUsed = strings.length;
  }

  /** Starts without types. */
  public BtfWriter() {
    this.words = new int[64];
    this.offsets = new int[16];
    this.strings = new byte[64];
    this.stringsUsed = 1;
  }

  /** One more than the highest number of a type. */
  public int count() {
    return count + 1;
  }

  /** The offset of a string, which is added at the end; 0 for the empty one. */
  public int string(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int at = stringsUsed;
    if (at + bytes.length + 1 > strings.length) {
      strings = Arrays.copyOf(strings, 2 * (at + bytes.length + 1));
    }
    System.arraycopy(bytes, 0, strings, at, bytes.length);
    strings[at + bytes.length] = 0;
    stringsUsed = at + bytes.length + 1;
    return at;
  }

  /** Adds a type; {@code extra} are the words that its kind has after the common three. */
  public int add(int kind, int nameOffset, boolean flag, int length, int sizeOrType, int... extra) {
    if (extra.length != BtfKind.extraWords(kind, length)) {
      throw new IllegalArgumentException(BtfKind.name(kind) + " with " + extra.length + " words");
    }
    if (used + 3 + extra.length > words.length) {
      words = Arrays.copyOf(words, 2 * (used + 3 + extra.length));
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count + 1);
    }
    offsets[count++] = used;
    words[used] = nameOffset;
    words[used + 1] = info(kind, flag, length);
    words[used + 2] = sizeOrType;
    System.arraycopy(extra, 0, words, used + 3, extra.length);
    used += 3 + extra.length;
    return count;
  }

  private static int info(int kind, boolean flag, int length) {
    return length | kind << 24 | (flag ? 1 << 31 : 0);
  }

  int kind(int id) {
    return words[offsets[id - 1] + 1] >>> 24 & 0x1f;
  }

  int length(int id) {
    return words[offsets[id - 1] + 1] & 0xffff;
  }

  /** Turns a type into another kind of the same number of words. */
  void become(int id, int kind, boolean flag, int length) {
    int at = offsets[id - 1] + 1;
    int had = BtfKind.extraWords(kind(id), length(id));
    if (had != BtfKind.extraWords(kind, length)) {
      throw new IllegalArgumentException(
          BtfKind.name(kind(id)) + " cannot become " + BtfKind.name(kind));
    }
    words[at] = info(kind, flag, length);
  }

  int get(int id, int word) {
    return words[offsets[id - 1] + word];
  }

  void set(int id, int word, int value) {
    words[offsets[id - 1] + word] = value;
  }

  /** The blob: header, types, strings. */
  public MemorySegment toSegment(Arena arena) {
    MemorySegment blob = arena.allocate(HEADER + 4L * used + stringsUsed, 8);
    blob.set(INT, 0, 0xeb9f | 1 << 16);
    blob.set(INT, 4, HEADER);
    blob.set(INT, 8, 0);
    blob.set(INT, 12, 4 * used);
    blob.set(INT, 16, 4 * used);
    blob.set(INT, 20, stringsUsed);
    MemorySegment.copy(words, 0, blob, INT, HEADER, used);
    MemorySegment.copy(strings, 0, blob, ValueLayout.JAVA_BYTE, HEADER + 4L * used, stringsUsed);
    return blob;
  }
}
