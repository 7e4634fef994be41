package dev.plumb.bpf.btf;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;

/**
 * Makes an object's BTF what the kernel takes: clang leaves the places of variables to the linker
 * and speaks of things that are elsewhere.
 *
 * <ul>
 *   <li>Data sections get their sizes, and their variables their places, in order of place.
 *   <li>Sections of kernel symbols become structs; the symbols become variables of type int.
 *   <li>Hidden functions become static ones, so that the verifier looks at them at each call.
 * </ul>
 */
public final class ObjectTypes {
  private static final int LINKAGE_STATIC = 0;
  private static final int LINKAGE_GLOBAL = 1;
  private static final int LINKAGE_EXTERN = 2;

  private final Btf btf;
  private final BtfWriter writer;
  private int intType;

  private ObjectTypes(Btf btf) {
    this.btf = btf;
    this.writer = new BtfWriter(btf);
  }

  /**
   * @param sectionSizes bytes of each data section
   * @param places of each global variable in its section
   * @param hidden names of functions that are not seen outside
   */
  public static BtfWriter forKernel(
      Btf btf, Map<String, Integer> sectionSizes, Map<String, Integer> places, Set<String> hidden) {
    ObjectTypes types = new ObjectTypes(btf);
    for (int id = 1; id < btf.count(); id++) {
      switch (btf.kind(id)) {
        case BtfKind.DATASEC -> types.section(id, sectionSizes, places);
        case BtfKind.FUNC -> types.function(id, hidden);
        case BtfKind.VAR -> types.variable(id);
        default -> {}
      }
    }
    return types.writer;
  }

  private void section(int id, Map<String, Integer> sizes, Map<String, Integer> places) {
    Integer size = sizes.get(btf.name(id));
    int length = btf.length(id);
    if (size == null) {
      externSection(id, length);
      return;
    }
    writer.set(id, 2, size);
    Integer[] order = new Integer[length];
    int[] offsets = new int[length];
    int[] bytes = new int[length];
    for (int i = 0; i < length; i++) {
      int variable = btf.sectionVariable(id, i);
      boolean named = btf.kind(variable) == BtfKind.VAR && btf.linkage(variable) != LINKAGE_STATIC;
      offsets[i] =
          named
              ? places.getOrDefault(btf.name(variable), btf.sectionOffset(id, i))
              : btf.sectionOffset(id, i);
      bytes[i] = btf.sectionSize(id, i);
      if (bytes[i] == 0) {
        bytes[i] = (int) btf.sizeOf(variable);
      }
      order[i] = i;
    }
    Arrays.sort(order, Comparator.comparingInt(i -> offsets[i]));
    for (int i = 0; i < length; i++) {
      writer.set(id, 3 + 3 * i, btf.sectionVariable(id, order[i]));
      writer.set(id, 4 + 3 * i, offsets[order[i]]);
      writer.set(id, 5 + 3 * i, bytes[order[i]]);
    }
  }

  private void externSection(int id, int length) {
    writer.become(id, BtfKind.STRUCT, false, length);
    writer.set(id, 0, 0);
    writer.set(id, 2, 4 * length);
    for (int i = 0; i < length; i++) {
      int extern = btf.sectionVariable(id, i);
      writer.set(id, 3 + 3 * i, btf.nameOffset(extern));
      writer.set(id, 4 + 3 * i, intType(btf.nameOffset(extern)));
      writer.set(id, 5 + 3 * i, 32 * i);
      if (btf.kind(extern) == BtfKind.VAR) {
        writer.set(extern, 2, intType(btf.nameOffset(extern)));
      }
    }
  }

  private void variable(int id) {
    if (btf.linkage(id) == LINKAGE_EXTERN) {
      writer.set(id, 3, LINKAGE_GLOBAL);
    }
  }

  private void function(int id, Set<String> hidden) {
    if (btf.linkage(id) == LINKAGE_EXTERN) {
      writer.become(id, BtfKind.FUNC, false, LINKAGE_GLOBAL);
      nameParameters(btf.target(id), btf.nameOffset(id));
    } else if (btf.linkage(id) == LINKAGE_GLOBAL && hidden.contains(btf.name(id))) {
      writer.become(id, BtfKind.FUNC, false, LINKAGE_STATIC);
    }
  }

  /** The kernel wants names for the parameters of a function; a declaration need not have any. */
  private void nameParameters(int prototype, int name) {
    if (btf.kind(prototype) != BtfKind.FUNC_PROTO) {
      return;
    }
    for (int i = 0; i < btf.length(prototype); i++) {
      if (btf.parameterName(prototype, i) == 0 && btf.parameterType(prototype, i) != 0) {
        writer.set(prototype, 3 + 2 * i, name);
      }
    }
  }

  /** A 32-bit int, added if need be under any name. */
  private int intType(int name) {
    for (int id = 1; intType == 0 && id < btf.count(); id++) {
      if (btf.kind(id) == BtfKind.INT && btf.statedSize(id) == 4) {
        intType = id;
      }
    }
    if (intType == 0) {
      intType = writer.add(BtfKind.INT, name, false, 0, 4, 1 << 24 | 32);
    }
    return intType;
  }
}
