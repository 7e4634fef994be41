package dev.plumb.symbols;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Functions in three columns of 4 bytes, by start: in memory, or in a mapped file. */
sealed interface FunctionColumns {
  int count();

  /** The offset from the base of the code, unsigned. */
  int start(int function);

  /** In bytes, unsigned. */
  int size(int function);

  /** The place of its name in the string tables. */
  int name(int function);

  /** In memory. */
  record Kept(int[] starts, int[] sizes, int[] names) implements FunctionColumns {
    @Override
    public int count() {
      return starts.length;
    }

    @Override
    public int start(int function) {
      return starts[function];
    }

    @Override
    public int size(int function) {
      return sizes[function];
    }

    @Override
    public int name(int function) {
      return names[function];
    }
  }

  /** One column after the other in a mapped file; read it within {@code LostPages.guard}. */
  record Mapped(MemorySegment columns, int count) implements FunctionColumns {
    @Override
    public int start(int function) {
      return columns.get(JAVA_INT_UNALIGNED, 4L * function);
    }

    @Override
    public int size(int function) {
      return columns.get(JAVA_INT_UNALIGNED, 4L * (count + (long) function));
    }

    @Override
    public int name(int function) {
      return columns.get(JAVA_INT_UNALIGNED, 4L * (2L * count + function));
    }
  }
}
