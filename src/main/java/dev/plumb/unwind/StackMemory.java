package dev.plumb.unwind;

/** A process's memory, or a copy of a part of it. */
@FunctionalInterface
public interface StackMemory {
  /** Reads the 8 bytes at an address into {@code word[0]}; false if they cannot be read. */
  boolean read(long processAddress, long[] word);
}
