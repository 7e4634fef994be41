package dev.plumb.bpf.btf;

/**
 * CO-RE's strict comparison, bpf_core_type_matches: what the local type names must be in the
 * kernel's type, with the same meaning; the kernel's may have more.
 *
 * <p>Modifiers and typedefs do not count. Behind a pointer only names count, and a forward
 * declaration will do for a struct or union.
 */
final class TypeMatch {
  /** How deep to look, and how many types at most, so that made-up BTF cannot keep us for ever. */
  private static final int MAX_DEPTH = 32;

  private final Btf a;
  private final Btf b;
  private int budget = 1 << 20;

  private TypeMatch(Btf a, Btf b) {
    this.a = a;
    this.b = b;
  }

  static boolean matches(Btf a, int idA, Btf b, int idB) {
    return new TypeMatch(a, b).types(idA, idB, false, MAX_DEPTH);
  }

  private boolean types(int idA, int idB, boolean behindPointer, int depth) {
    while (depth-- > 0 && budget-- > 0) {
      idA = a.skipModifiers(idA);
      idB = b.skipModifiers(idB);
      if (!names(a.nameOffset(idA), b.nameOffset(idB))) {
        return false;
      }
      int kind = a.kind(idA);
      int other = b.kind(idB);
      switch (kind) {
        case BtfKind.VOID -> {
          return other == BtfKind.VOID;
        }
        case BtfKind.FWD -> {
          return forward(idA, idB, behindPointer);
        }
        case BtfKind.ENUM, BtfKind.ENUM64 -> {
          return BtfKind.isEnum(other) && enumerators(idA, idB);
        }
        case BtfKind.STRUCT, BtfKind.UNION -> {
          if (behindPointer) {
            return kind == other || other == BtfKind.FWD && b.flag(idB) == (kind == BtfKind.UNION);
          }
          return kind == other && members(idA, idB, depth);
        }
        case BtfKind.INT -> {
          return other == BtfKind.INT
              && a.statedSize(idA) == b.statedSize(idB)
              && a.isSignedInt(idA) == b.isSignedInt(idB);
        }
        case BtfKind.PTR -> {
          if (other != BtfKind.PTR) {
            return false;
          }
          behindPointer = true;
          idA = a.target(idA);
          idB = b.target(idB);
        }
        case BtfKind.ARRAY -> {
          if (other != BtfKind.ARRAY || a.arrayLength(idA) != b.arrayLength(idB)) {
            return false;
          }
          idA = a.arrayElement(idA);
          idB = b.arrayElement(idB);
        }
        case BtfKind.FUNC_PROTO -> {
          if (other != BtfKind.FUNC_PROTO || !parameters(idA, idB, behindPointer, depth)) {
            return false;
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

  private boolean forward(int idA, int idB, boolean behindPointer) {
    int other = b.kind(idB);
    if (other == BtfKind.FWD) {
      return a.flag(idA) == b.flag(idB);
    }
    return behindPointer && other == (a.flag(idA) ? BtfKind.UNION : BtfKind.STRUCT);
  }

  private boolean enumerators(int idA, int idB) {
    if (a.length(idA) > b.length(idB) || a.statedSize(idA) != b.statedSize(idB)) {
      return false;
    }
    for (int i = 0; i < a.length(idA); i++) {
      boolean found = false;
      for (int j = 0; j < b.length(idB) && !found; j++) {
        found = names(a.enumeratorName(idA, i), b.enumeratorName(idB, j));
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  private boolean members(int idA, int idB, int depth) {
    if (a.length(idA) > b.length(idB)) {
      return false;
    }
    for (int i = 0; i < a.length(idA); i++) {
      boolean found = false;
      for (int j = 0; j < b.length(idB) && !found; j++) {
        found =
            names(a.memberName(idA, i), b.memberName(idB, j))
                && types(a.memberType(idA, i), b.memberType(idB, j), false, depth);
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  private boolean parameters(int idA, int idB, boolean behindPointer, int depth) {
    if (a.length(idA) != b.length(idB)) {
      return false;
    }
    for (int i = 0; i < a.length(idA); i++) {
      if (!types(a.parameterType(idA, i), b.parameterType(idB, i), behindPointer, depth)) {
        return false;
      }
    }
    return true;
  }

  private boolean names(int nameA, int nameB) {
    return EssentialNames.sameEssential(a, nameA, b, nameB);
  }
}
