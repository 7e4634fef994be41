package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.VariableSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A global variable of loaded programs, in memory that the kernel and we share. Those of {@code
 * .rodata} can only be read.
 */
public final class Variable {
  private final VariableSpec spec;
  private final BpfMap map;

  Variable(VariableSpec spec, BpfMap map) {
    this.spec = spec;
    this.map = map;
  }

  public String name() {
    return spec.name();
  }

  public int size() {
    return spec.size();
  }

  /** The variable itself; good until the collection is closed. */
  public MemorySegment memory() {
    return map.memory().asSlice(spec.offset(), spec.size());
  }

  /** The value of a number, sign-extended if its type is signed. */
  public long get() {
    spec.checkScalar();
    MemorySegment memory = memory();
    boolean signed = spec.isSigned();
    return switch (spec.size()) {
      case 1 -> {
        byte value = memory.get(ValueLayout.JAVA_BYTE, 0);
        yield signed ? value : value & 0xffL;
      }
      case 2 -> {
        short value = memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0);
        yield signed ? value : value & 0xffffL;
      }
      case 4 -> {
        int value = memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        yield signed ? value : Integer.toUnsignedLong(value);
      }
      default -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    };
  }

  public void set(long value) {
    spec.checkScalar();
    if (spec.section().isFrozen()) {
      throw new BpfException(
          "variable " + name() + " is const; set it in the spec, before the load");
    }
    MemorySegment memory = memory();
    switch (spec.size()) {
      case 1 -> memory.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
      case 2 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) value);
      case 4 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) value);
      default -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    }
  }

  @Override
  public String toString() {
    return "variable " + name();
  }
}
