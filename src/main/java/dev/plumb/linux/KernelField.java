package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * A field of a structure that the kernel's headers define. Tests compare all of them with the
 * running kernel's types.
 *
 * @param path the names of the members that lead to it, joined by dots; anonymous members have none
 */
public record KernelField(String path, int offset, int size) {
  public static KernelField u16(String path, int offset) {
    return new KernelField(path, offset, Short.BYTES);
  }

  public static KernelField u32(String path, int offset) {
    return new KernelField(path, offset, Integer.BYTES);
  }

  public static KernelField u64(String path, int offset) {
    return new KernelField(path, offset, Long.BYTES);
  }

  /** Text of a fixed size, ended by a zero byte. */
  public static KernelField text(String path, int offset, int size) {
    return new KernelField(path, offset, size);
  }

  /** Its value as an unsigned number. */
  public long get(MemorySegment structure) {
    return switch (size) {
      case Short.BYTES -> Short.toUnsignedLong(structure.get(JAVA_SHORT, offset));
      case Integer.BYTES -> Integer.toUnsignedLong(structure.get(JAVA_INT, offset));
      case Long.BYTES -> structure.get(JAVA_LONG, offset);
      default -> throw new IllegalStateException(path + " is not a number");
    };
  }

  public void put(MemorySegment structure, long value) {
    switch (size) {
      case Short.BYTES -> structure.set(JAVA_SHORT, offset, (short) value);
      case Integer.BYTES -> structure.set(JAVA_INT, offset, (int) value);
      case Long.BYTES -> structure.set(JAVA_LONG, offset, value);
      default -> throw new IllegalStateException(path + " is not a number");
    }
  }
}
