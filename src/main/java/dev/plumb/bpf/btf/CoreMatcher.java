package dev.plumb.bpf.btf;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds in a candidate type of the kernel what a local path means: members by name, elements by
 * index, enumerators by name. Members of anonymous structs count as the outer one's.
 */
final class CoreMatcher {
  private final CorePath local;
  private final Btf btf;
  private final List<CorePath.Step> steps = new ArrayList<>();
  private long bits;

  private CoreMatcher(CorePath local, Btf btf) {
    this.local = local;
    this.btf = btf;
  }

  /** The same way from the candidate root, if it has one. */
  static Optional<CorePath> match(
      CorePath local, CoreRelocation.Kind kind, Btf btf, int candidate) {
    if (kind.ofField()) {
      return new CoreMatcher(local, btf).fields(candidate);
    }
    if (kind.ofEnumerator()) {
      return enumerator(local, btf, candidate);
    }
    boolean fits =
        kind == CoreRelocation.Kind.TYPE_MATCHES
            ? TypeMatch.matches(local.btf(), local.root(), btf, candidate)
            : TypeCompatibility.compatible(local.btf(), local.root(), btf, candidate);
    return fits ? Optional.of(new CorePath(btf, candidate, List.of(), 0)) : Optional.empty();
  }

  private static Optional<CorePath> enumerator(CorePath local, Btf btf, int candidate) {
    int type = btf.skipModifiers(candidate);
    if (!BtfKind.isEnum(btf.kind(type))) {
      return Optional.empty();
    }
    int wanted = local.last().name();
    for (int i = 0; i < btf.length(type); i++) {
      int name = btf.enumeratorName(type, i);
      if (EssentialNames.sameEssential(local.btf(), wanted, btf, name)) {
        return Optional.of(
            new CorePath(btf, candidate, List.of(new CorePath.Step(type, i, name)), 0));
      }
    }
    return Optional.empty();
  }

  private Optional<CorePath> fields(int candidate) {
    int type = candidate;
    for (int i = 0; i < local.steps().size(); i++) {
      CorePath.Step step = local.steps().get(i);
      type = btf.skipModifiers(type);
      if (step.name() != 0) {
        type = member(step, type, 0);
        if (type < 0) {
          return Optional.empty();
        }
      } else {
        if (i > 0) {
          if (btf.kind(type) != BtfKind.ARRAY || !hasElement(type, step.index())) {
            return Optional.empty();
          }
          type = btf.skipModifiers(btf.arrayElement(type));
        }
        steps.add(new CorePath.Step(type, step.index(), 0));
        bits += Integer.toUnsignedLong(step.index()) * btf.sizeOf(type) * 8;
      }
    }
    return Optional.of(new CorePath(btf, candidate, List.copyOf(steps), bits));
  }

  /** A flexible array (length 0, the last member of a struct) has every element. */
  private boolean hasElement(int array, int index) {
    if (Integer.toUnsignedLong(index) < btf.arrayLength(array)) {
      return true;
    }
    if (btf.arrayLength(array) > 0 || steps.isEmpty()) {
      return false;
    }
    CorePath.Step holder = steps.get(steps.size() - 1);
    return holder.name() != 0
        && BtfKind.isComposite(btf.kind(holder.type()))
        && holder.index() == btf.length(holder.type()) - 1;
  }

  /** Finds a member and takes the step; the member's type, or -1. */
  private int member(CorePath.Step wanted, int type, int depth) {
    if (!BtfKind.isComposite(btf.kind(type)) || depth > Btf.MAX_DEPTH) {
      return -1;
    }
    for (int i = 0; i < btf.length(type); i++) {
      int name = btf.memberName(type, i);
      long before = bits;
      bits += Integer.toUnsignedLong(btf.memberBitOffset(type, i));
      if (name == 0) {
        int found = member(wanted, btf.skipModifiers(btf.memberType(type, i)), depth + 1);
        if (found >= 0) {
          return found;
        }
      } else if (EssentialNames.same(local.btf(), wanted.name(), btf, name)) {
        int localType = local.btf().memberType(wanted.type(), wanted.index());
        int found = btf.memberType(type, i);
        if (!TypeCompatibility.fieldsCompatible(local.btf(), localType, btf, found)) {
          bits = before;
          return -1;
        }
        steps.add(new CorePath.Step(type, i, name));
        return found;
      }
      bits = before;
    }
    return -1;
  }
}
