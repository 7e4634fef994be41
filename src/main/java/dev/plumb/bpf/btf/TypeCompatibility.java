package dev.plumb.bpf.btf;

/**
 * CO-RE's looser comparisons of a local and a kernel type, as the kernel's own loader defines them
 * (Documentation/bpf/llvm_reloc.rst and relo_core.c): names were compared already, so what remains
 * is whether code written for one can stand the other.
 */
public final class TypeCompatibility {
  private static final int MAX_DEPTH = 32;

  private final Btf a;
  private final Btf b;

  /** How many types to look at, at most, so that made-up BTF cannot keep us for ever. */
  private int budget = 1 << 20;

  private TypeCompatibility(Btf a, Btf b) {
    this.a = a;
    this.b = b;
  }

  /** Whether a member of one type can be read as the other: any two composites, any two ints, …. */
  static boolean fieldsCompatible(Btf a, int idA, Btf b, int idB) {
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
      idA = a.skipModifiers(idA);
      idB = b.skipModifiers(idB);
      int kindA = a.kind(idA);
      int kindB = b.kind(idB);
      if (BtfKind.isComposite(kindA) && BtfKind.isComposite(kindB)) {
        return true;
      }
      if (!BtfKind.compatible(kindA, kindB)) {
        return false;
      }
      switch (kindA) {
        case BtfKind.PTR, BtfKind.FLOAT -> {
          return true;
        }
        case BtfKind.FWD, BtfKind.ENUM, BtfKind.ENUM64 -> {
          return a.isAnonymous(idA)
              || b.isAnonymous(idB)
              || EssentialNames.sameEssential(a, a.nameOffset(idA), b, b.nameOffset(idB));
        }
        case BtfKind.INT -> {
          // An int with a bit offset of its own is how BTF once said bit field.
          return bitOffset(a, idA) == 0 && bitOffset(b, idB) == 0;
        }
        case BtfKind.ARRAY -> {
          idA = a.arrayElement(idA);
          idB = b.arrayElement(idB);
        }
        default -> {
          return false;
        }
      }
    }
    return false;
  }

  /** Whether a type exists in the sense of bpf_core_type_exists: kinds alike, all the way in. */
  public static boolean compatible(Btf a, int idA, Btf b, int idB) {
    return BtfKind.compatible(a.kind(idA), b.kind(idB))
        && new TypeCompatibility(a, b).compatible(idA, idB, MAX_DEPTH);
  }

  private boolean compatible(int idA, int idB, int depth) {
    while (depth-- > 0 && budget-- > 0) {
      idA = a.skipModifiers(idA);
      idB = b.skipModifiers(idB);
      int kind = a.kind(idA);
      if (!BtfKind.compatible(kind, b.kind(idB))) {
        return false;
      }
      switch (kind) {
        case BtfKind.VOID,
            BtfKind.STRUCT,
            BtfKind.UNION,
            BtfKind.ENUM,
            BtfKind.ENUM64,
            BtfKind.FWD -> {
          return true;
        }
        case BtfKind.INT -> {
          return bitOffset(a, idA) == 0 && bitOffset(b, idB) == 0;
        }
        case BtfKind.PTR -> {
          idA = a.target(idA);
          idB = b.target(idB);
        }
        case BtfKind.ARRAY -> {
          idA = a.arrayElement(idA);
          idB = b.arrayElement(idB);
        }
        case BtfKind.FUNC_PROTO -> {
          if (a.length(idA) != b.length(idB)) {
            return false;
          }
          for (int i = 0; i < a.length(idA); i++) {
            if (!compatible(a.parameterType(idA, i), b.parameterType(idB, i), depth)) {
              return false;
            }
          }
          idA = a.target(idA);
          idB = b.target(idB);
        }
        default -> {
          return false;
        }
      }
    }
    return false;
  }

  private static int bitOffset(Btf btf, int id) {
    return btf.intInfo(id) >>> 16 & 0xff;
  }
}
