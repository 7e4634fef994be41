package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.error.BpfException;

/** A global variable of the object: where it is, and of what type. */
public final class VariableSpec {
  private final String name;
  private final MapSpec section;
  private final int offset;
  private final int size;
  private final int type;
  private final Btf btf;

  VariableSpec(String name, MapSpec section, int offset, int size, int type, Btf btf) {
    this.name = name;
    this.section = section;
    this.offset = offset;
    this.size = size;
    this.type = type;
    this.btf = btf;
  }

  public String name() {
    return name;
  }

  public int size() {
    return size;
  }

  /** The data section's map, e.g. {@code .rodata}. */
  public MapSpec section() {
    return section;
  }

  public int offset() {
    return offset;
  }

  /** Puts a number where the object file had another. */
  void set(long value) {
    checkScalar();
    if (size < 8) {
      long low = -(1L << (size * 8 - 1));
      long high = (1L << size * 8) - 1;
      if (value < low || value > high) {
        throw new BpfException(
            "variable " + name + ": " + value + " does not fit into " + size + " bytes");
      }
    }
    byte[] contents = section.contents().orElseThrow();
    for (int i = 0; i < size; i++) {
      contents[offset + i] = (byte) (value >>> i * 8);
    }
  }

  void set(byte[] bytes) {
    if (bytes.length != size) {
      throw new BpfException("variable " + name + " has " + size + " bytes, not " + bytes.length);
    }
    System.arraycopy(bytes, 0, section.contents().orElseThrow(), offset, size);
  }

  /** Throws unless this is one number: an int, a bool, an enum or a pointer-sized word. */
  public void checkScalar() {
    int kind = btf.kind(btf.skipModifiers(type));
    boolean scalar =
        kind == BtfKind.INT
            || kind == BtfKind.ENUM
            || kind == BtfKind.ENUM64
            || kind == BtfKind.PTR;
    if (!scalar || size != 1 && size != 2 && size != 4 && size != 8) {
      throw new BpfException(
          "variable " + name + " is of " + BtfKind.name(kind) + " type, not one number");
    }
  }

  public boolean isSigned() {
    return btf.isSignedInt(btf.skipModifiers(type));
  }
}
