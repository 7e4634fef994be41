package dev.plumb.bpf.btf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Makes BTF blobs for tests. */
final class Blobs {
  private Blobs() {}

  static MemorySegment of(BtfWriter writer) {
    return writer.toSegment(Arena.ofAuto());
  }

  /**
   * Split BTF with one struct whose one member is of a type of the base.
   *
   * @param baseStrings bytes of the base's strings
   */
  static MemorySegment split(int baseStrings, String struct, String member, int memberType) {
    byte[] strings = ("\0" + struct + "\0" + member + "\0").getBytes();
    int[] words = {
      baseStrings + 1,
      BtfKind.STRUCT << 24 | 1,
      16,
      baseStrings + 2 + struct.length(),
      memberType,
      64,
    };
    MemorySegment blob = Arena.ofAuto().allocate(24 + 4L * words.length + strings.length, 8);
    int[] header = {0xeb9f | 1 << 16, 24, 0, 4 * words.length, 4 * words.length, strings.length};
    MemorySegment.copy(header, 0, blob, ValueLayout.JAVA_INT, 0, header.length);
    MemorySegment.copy(words, 0, blob, ValueLayout.JAVA_INT, 24, words.length);
    MemorySegment.copy(
        strings, 0, blob, ValueLayout.JAVA_BYTE, 24 + 4L * words.length, strings.length);
    return blob;
  }
}
