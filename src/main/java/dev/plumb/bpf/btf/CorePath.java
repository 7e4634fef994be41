package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.util.ArrayList;
import java.util.List;

/**
 * A way from a root type to what a relocation means, in one BTF: the steps that a programmer wrote
 * (anonymous members are passed through and not named), and where they end.
 *
 * @param bitOffset of the end from the root's start
 */
record CorePath(Btf btf, int root, List<Step> steps, long bitOffset) {
  /**
   * @param type for a member the struct that has it, for an element the element's type, for an
   *     enumerator the enum
   * @param index of the member or enumerator in it, or of the element
   * @param name string offset of the member or enumerator; 0 for an element
   */
  record Step(int type, int index, int name) {}

  Step last() {
    return steps.get(steps.size() - 1);
  }

  /** The way that a relocation takes through the object's own types. */
  static CorePath local(Btf btf, CoreRelocation relocation) {
    int[] path = relocation.path();
    int root = relocation.type();
    if (!btf.has(root)) {
      throw new BpfException("CO-RE: there is no type " + root);
    }
    if (relocation.kind().ofEnumerator()) {
      int type = btf.skipModifiers(root);
      if (path.length != 1
          || !BtfKind.isEnum(btf.kind(type))
          || Integer.compareUnsigned(path[0], btf.length(type)) >= 0) {
        throw new BpfException("CO-RE: " + btf.describe(root) + " has no such enumerator");
      }
      return new CorePath(
          btf, root, List.of(new Step(type, path[0], btf.enumeratorName(type, path[0]))), 0);
    }
    if (!relocation.kind().ofField()) {
      if (path.length != 1 || path[0] != 0) {
        throw new BpfException("CO-RE: a path into " + btf.describe(root) + " that needs none");
      }
      return new CorePath(btf, root, List.of(), 0);
    }
    return fields(btf, root, path);
  }

  private static CorePath fields(Btf btf, int root, int[] path) {
    List<Step> steps = new ArrayList<>();
    int type = btf.skipModifiers(root);
    steps.add(new Step(type, path[0], 0));
    long bits = Integer.toUnsignedLong(path[0]) * btf.sizeOf(type) * 8;
    for (int i = 1; i < path.length; i++) {
      type = btf.skipModifiers(type);
      int index = path[i];
      int kind = btf.kind(type);
      if (BtfKind.isComposite(kind)) {
        if (Integer.compareUnsigned(index, btf.length(type)) >= 0) {
          throw new BpfException("CO-RE: " + btf.describe(type) + " has no member " + index);
        }
        bits += Integer.toUnsignedLong(btf.memberBitOffset(type, index));
        int name = btf.memberName(type, index);
        if (name != 0) {
          steps.add(new Step(type, index, name));
        }
        type = btf.memberType(type, index);
      } else if (kind == BtfKind.ARRAY) {
        type = btf.skipModifiers(btf.arrayElement(type));
        steps.add(new Step(type, index, 0));
        bits += Integer.toUnsignedLong(index) * btf.sizeOf(type) * 8;
      } else {
        throw new BpfException("CO-RE: " + btf.describe(type) + " has no members");
      }
    }
    return new CorePath(btf, root, steps, bits);
  }

  /** For messages: {@code struct task_struct.mm}, {@code enum hrtimer_mode.HRTIMER_MODE_ABS}. */
  String describe() {
    StringBuilder text = new StringBuilder(btf.describe(root));
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (step.name() != 0) {
        text.append('.').append(btf.string(step.name()));
      } else if (i > 0 || step.index() != 0) {
        text.append('[').append(Integer.toUnsignedString(step.index())).append(']');
      }
    }
    return text.toString();
  }
}
