package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A field of a structure that the kernel's headers define.
 *
 * @param path the names of the members that lead to it, joined by dots; anonymous members have none
 */
record KernelField(String path, int offset, int size) {
  static KernelField u32(String path, int offset) {
    return new KernelField(path, offset, Integer.BYTES);
  }

  static KernelField u64(String path, int offset) {
    return new KernelField(path, offset, Long.BYTES);
  }

  /** Text of a fixed size, ended by a zero byte. */
  static KernelField text(String path, int offset, int size) {
    return new KernelField(path, offset, size);
  }

  long get(MemorySegment structure) {
    return switch (size) {
      case Integer.BYTES -> Integer.toUnsignedLong(structure.get(JAVA_INT, offset));
      case Long.BYTES -> structure.get(JAVA_LONG, offset);
      default -> throw new IllegalStateException(path + " is not a number");
    };
  }

  void put(MemorySegment structure, long value) {
    switch (size) {
      case Integer.BYTES -> structure.set(JAVA_INT, offset, (int) value);
      case Long.BYTES -> structure.set(JAVA_LONG, offset, value);
      default -> throw new IllegalStateException(path + " is not a number");
    }
  }

  /**
   * Writes the name of a BPF object. The kernel accepts only letters, digits, '_' and '.' in it.
   */
  void putName(MemorySegment structure, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < Math.min(bytes.length, size - 1); i++) {
      byte c = bytes[i];
      boolean allowed = c == '_' || c == '.' || Character.isLetterOrDigit(c);
      structure.set(JAVA_BYTE, offset + i, allowed ? c : (byte) '_');
    }
  }
}
