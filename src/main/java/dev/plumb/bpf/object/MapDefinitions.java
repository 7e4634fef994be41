package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.error.BpfException;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads maps from the types of the variables in {@code .maps}: each is a struct whose members'
 * types carry numbers ({@code int (*type)[27]} is 27) and the types of key and value.
 */
final class MapDefinitions {
  private static final int POINTER_SIZE = 8;

  private final Btf btf;

  /** Where the {@code values} of a map start in {@code .maps}, for their relocations. */
  private final Map<MapSpec, Integer> valuesOffsets = new HashMap<>();

  MapDefinitions(Btf btf) {
    this.btf = btf;
  }

  /** The map that a variable of {@code .maps} defines. */
  MapSpec read(String name, int variable, int offsetInSection) {
    MapSpec spec = new MapSpec(name);
    int type = btf.skipModifiers(btf.target(variable));
    int values = definition(spec, type, false);
    if (values >= 0) {
      valuesOffsets.put(spec, offsetInSection + values);
    }
    return spec;
  }

  /** The slot of {@code values} at an offset of {@code .maps}. */
  int slot(MapSpec spec, long offsetInSection) {
    Integer start = valuesOffsets.get(spec);
    if (start == null || offsetInSection < start || (offsetInSection - start) % POINTER_SIZE != 0) {
      throw new BpfException(spec + ": nothing can be put at offset " + offsetInSection);
    }
    return (int) ((offsetInSection - start) / POINTER_SIZE);
  }

  /** Returns where {@code values} is in the struct, in bytes, or -1. */
  private int definition(MapSpec spec, int type, boolean inner) {
    if (btf.kind(type) != BtfKind.STRUCT) {
      throw new BpfException(spec + " is defined by " + btf.describe(type) + ", not by a struct");
    }
    int values = -1;
    int key = 0;
    int value = 0;
    for (int i = 0; i < btf.length(type); i++) {
      String attribute = btf.string(btf.memberName(type, i));
      int member = btf.memberType(type, i);
      switch (attribute) {
        case "type" -> spec.type((int) number(spec, attribute, member));
        case "max_entries" -> spec.maxEntries((int) number(spec, attribute, member));
        case "map_flags" -> spec.flags((int) number(spec, attribute, member));
        case "numa_node" -> spec.statedNumaNode((int) number(spec, attribute, member));
        case "map_extra" -> spec.extra(number(spec, attribute, member));
        case "key_size" -> keySize(spec, number(spec, attribute, member));
        case "value_size" -> valueSize(spec, number(spec, attribute, member));
        case "key" -> {
          key = pointee(spec, attribute, member);
          keySize(spec, btf.sizeOf(key));
        }
        case "value" -> {
          value = pointee(spec, attribute, member);
          valueSize(spec, btf.sizeOf(value));
        }
        case "values" -> {
          if (inner || i != btf.length(type) - 1) {
            throw new BpfException(spec + ": values must come last, and not inside values");
          }
          values(spec, member);
          values = btf.memberBitOffset(type, i) / 8;
        }
        case "pinning" -> {
          if (number(spec, attribute, member) != 0) {
            throw new BpfException(spec + " wants to be pinned; Plumb does not pin maps");
          }
        }
        default -> throw new BpfException(spec + ": the attribute " + attribute + " is not known");
      }
    }
    if (spec.type() == 0) {
      throw new BpfException(spec + " has no type");
    }
    spec.types(key, value);
    return values;
  }

  private static void keySize(MapSpec spec, long size) {
    if (spec.keySize() != 0 && spec.keySize() != size) {
      throw new BpfException(spec + ": key of " + size + " and of " + spec.keySize() + " bytes");
    }
    spec.keySize((int) size);
  }

  private static void valueSize(MapSpec spec, long size) {
    if (spec.valueSize() != 0 && spec.valueSize() != size) {
      throw new BpfException(
          spec + ": value of " + size + " and of " + spec.valueSize() + " bytes");
    }
    spec.valueSize((int) size);
  }

  /** A pointer to an array says its length; an enum, its first value (numbers above 32 bits). */
  private long number(MapSpec spec, String attribute, int member) {
    int type = btf.skipModifiers(member);
    int kind = btf.kind(type);
    if ((kind == BtfKind.ENUM || kind == BtfKind.ENUM64) && btf.length(type) == 1) {
      return btf.enumeratorValue(type, 0);
    }
    int array = btf.skipModifiers(pointee(spec, attribute, member));
    if (btf.kind(array) != BtfKind.ARRAY) {
      throw new BpfException(spec + ": " + attribute + " is not written by __uint");
    }
    return btf.arrayLength(array);
  }

  private int pointee(MapSpec spec, String attribute, int member) {
    int type = btf.skipModifiers(member);
    if (btf.kind(type) != BtfKind.PTR) {
      throw new BpfException(spec + ": " + attribute + " is not written by __uint or __type");
    }
    return btf.target(type);
  }

  private void values(MapSpec spec, int member) {
    int array = btf.skipModifiers(member);
    if (btf.kind(array) != BtfKind.ARRAY) {
      throw new BpfException(spec + ": values is not written by __array");
    }
    int element = btf.skipModifiers(pointee(spec, "values", btf.arrayElement(array)));
    valueSize(spec, 4);
    if (spec.type() == MapType.PROG_ARRAY && btf.kind(element) == BtfKind.FUNC_PROTO) {
      keySize(spec, 4);
    } else if (MapType.isMapOfMaps(spec.type())) {
      MapSpec inner = new MapSpec(spec.name() + ".inner");
      definition(inner, element, true);
      spec.inner(inner);
    } else {
      throw new BpfException(spec + " is neither a map of maps nor of programs, but has values");
    }
  }
}
