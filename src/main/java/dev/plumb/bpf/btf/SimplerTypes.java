package dev.plumb.bpf.btf;

import java.util.Set;

/**
 * Replaces kinds of types that came later than a kernel by older ones of the same size, so that
 * numbers of types stay. What is lost is only what that kernel could not use.
 */
public final class SimplerTypes {
  /** What a kernel may not take in BTF, and since when it does. */
  public enum Part {
    /** 5.13. */
    FLOAT,
    /** 5.16. */
    DECL_TAG,
    /** 5.17. */
    TYPE_TAG,
    /** 6.0, with the sign flag of enums. */
    ENUM64,
    /** 5.6: functions that are verified on their own. */
    GLOBAL_FUNCTION
  }

  private final BtfWriter types;
  private int filler;

  private SimplerTypes(BtfWriter types) {
    this.types = types;
  }

  /** Takes those parts out; the writer is changed. */
  public static BtfWriter without(BtfWriter types, Set<Part> refused) {
    SimplerTypes simpler = new SimplerTypes(types);
    int count = types.count();
    for (int id = 1; id < count; id++) {
      simpler.type(id, refused);
    }
    return types;
  }

  private void type(int id, Set<Part> refused) {
    int length = types.length(id);
    switch (types.kind(id)) {
      case BtfKind.FLOAT -> {
        if (refused.contains(Part.FLOAT)) {
          // Names of floats may have spaces, those of structs may not.
          types.become(id, BtfKind.STRUCT, false, 0);
          types.set(id, 0, 0);
        }
      }
      case BtfKind.DECL_TAG -> {
        if (refused.contains(Part.DECL_TAG)) {
          types.become(id, BtfKind.INT, false, 0);
          types.set(id, 0, types.get(filler(), 0));
          types.set(id, 2, 1);
          types.set(id, 3, 8);
        }
      }
      case BtfKind.TYPE_TAG -> {
        if (refused.contains(Part.TYPE_TAG)) {
          types.become(id, BtfKind.CONST, false, 0);
          types.set(id, 0, 0);
        }
      }
      case BtfKind.ENUM -> {
        if (refused.contains(Part.ENUM64)) {
          types.become(id, BtfKind.ENUM, false, length);
        }
      }
      case BtfKind.ENUM64 -> {
        if (refused.contains(Part.ENUM64)) {
          types.become(id, BtfKind.UNION, false, length);
          for (int i = 0; i < length; i++) {
            types.set(id, 4 + 3 * i, filler());
            types.set(id, 5 + 3 * i, 0);
          }
        }
      }
      case BtfKind.FUNC -> {
        if (refused.contains(Part.GLOBAL_FUNCTION)) {
          types.become(id, BtfKind.FUNC, false, 0);
        }
      }
      default -> {}
    }
  }

  /** A one-byte int. */
  private int filler() {
    if (filler == 0) {
      filler = types.add(BtfKind.INT, types.string("filler"), false, 0, 1, 8);
    }
    return filler;
  }
}
