package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;

/**
 * One place that depends on the kernel's types: clang wrote what is true of the local type, the
 * loader puts what is true of the kernel's.
 *
 * @param byteOffset of the instruction in its section, in bytes
 * @param type the local root type
 * @param path indices from the root to what is meant: element, then members and elements; of an
 *     enumerator its index
 */
public record CoreRelocation(int byteOffset, int type, int[] path, Kind kind) {
  /** What the instruction wants to know; in the order of clang's numbers. */
  public enum Kind {
    FIELD_BYTE_OFFSET,
    FIELD_BYTE_SIZE,
    FIELD_EXISTS,
    FIELD_SIGNED,
    FIELD_LSHIFT_U64,
    FIELD_RSHIFT_U64,
    TYPE_ID_LOCAL,
    TYPE_ID_TARGET,
    TYPE_EXISTS,
    TYPE_SIZE,
    ENUMVAL_EXISTS,
    ENUMVAL_VALUE,
    TYPE_MATCHES;

    boolean ofField() {
      return ordinal() <= FIELD_RSHIFT_U64.ordinal();
    }

    boolean ofEnumerator() {
      return this == ENUMVAL_EXISTS || this == ENUMVAL_VALUE;
    }
  }

  private static final Kind[] KINDS = Kind.values();
  private static final int MAX_PATH = 64;

  static CoreRelocation of(int byteOffset, int type, String path, int kind) {
    if (kind < 0 || kind >= KINDS.length) {
      throw new BpfException(".BTF.ext: CO-RE relocation of the unknown kind " + kind);
    }
    String[] parts = path.split(":", -1);
    if (parts.length > MAX_PATH) {
      throw new BpfException(".BTF.ext: a path of " + parts.length + " steps is too long");
    }
    int[] steps = new int[parts.length];
    for (int i = 0; i < parts.length; i++) {
      try {
        steps[i] = Integer.parseUnsignedInt(parts[i]);
      } catch (NumberFormatException e) {
        throw new BpfException(".BTF.ext: \"" + path + "\" is not a path", e);
      }
    }
    return new CoreRelocation(byteOffset, type, steps, KINDS[kind]);
  }
}
