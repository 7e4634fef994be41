package dev.plumb.dwarf.form;

import java.util.Arrays;

/**
 * A table of abbreviations, which are the layouts of a unit's entries. Abbreviation {@code i} has a
 * tag, may have children, and has the attributes from {@code firstAttribute(i)} to {@code
 * firstAttribute(i + 1)}.
 */
public final class Abbreviations {
  /** Several times as many as the largest units have. */
  private static final int MAX_ATTRIBUTES = 1 << 20;

  private static final int MAX_ABBREVIATIONS = 1 << 18;
  private static final int MAX_NUMBER = 0xffff;

  /** Ascending codes; empty if they are 1, 2, 3, …, as all compilers make them. */
  private long[] codes = {};

  /** The number of the abbreviation of each of {@link #codes}. */
  private int[] order = {};

  private boolean dense = true;
  private int count;
  private char[] tags = new char[64];
  private boolean[] children = new boolean[64];
  private boolean[] code = new boolean[64];

  /** The offset in an entry of the attribute that names its next sibling, or -1. */
  private int[] siblings = new int[64];

  private int[] firstAttributes = new int[65];
  private int attributeCount;

  /** Name in the upper half, form in the lower. */
  private int[] attributes = new int[256];

  /** How to skip each attribute; as in {@link #skips}. */
  private int[] attributeSkips = new int[256];

  /** Values of the attributes of form implicit_const; empty if there are none. */
  private long[] constants = {};

  private int[] firstSkips = new int[65];
  private int skipCount;

  /** How to skip an entry: its size; if negative, one of the SKIP constants of {@link Forms}. */
  private int[] skips = new int[256];

  private Abbreviations() {}

  /** Reads the table at the reader's position, for units of this shape. */
  public static Abbreviations read(SectionReader in, UnitHeader shape) {
    return read(in, shape, 0);
  }

  /** The same, up to the abbreviation with the code {@code last}. */
  public static Abbreviations read(SectionReader in, UnitHeader shape, long last) {
    Abbreviations table = new Abbreviations();
    long[] all = new long[64];
    for (long code = in.uleb(); code != 0; code = in.uleb()) {
      if (table.count == all.length) {
        if (table.count >= MAX_ABBREVIATIONS) {
          throw new DwarfException("too many abbreviations");
        }
        all = Arrays.copyOf(all, 2 * all.length);
        table.grow();
      }
      all[table.count] = code;
      table.dense &= code == table.count + 1;
      table.readOne(in, shape);
      if (code == last || in.atEnd()) {
        break;
      }
    }
    if (!table.dense) {
      table.sort(Arrays.copyOf(all, table.count));
    }
    table.trim();
    return table;
  }

  private void readOne(SectionReader in, UnitHeader shape) {
    int i = count++;
    tags[i] = (char) Math.min(MAX_NUMBER, in.uleb() & 0x7fff_ffff);
    children[i] = in.u8() != 0;
    firstAttributes[i] = attributeCount;
    firstSkips[i] = skipCount;
    siblings[i] = -1;
    while (true) {
      long name = in.uleb();
      long form = in.uleb();
      if (name == 0 && form == 0) {
        break;
      }
      if (form < 0 || form > MAX_NUMBER || attributeCount == MAX_ATTRIBUTES) {
        throw new DwarfException("abbreviations cannot be read");
      }
      int known = name < 0 || name > MAX_NUMBER ? MAX_NUMBER : (int) name;
      code[i] |= known == Dw.AT_LOW_PC || known == Dw.AT_RANGES;
      int skip = Forms.skip((int) form, shape);
      addAttribute(known, (int) form, form == Dw.FORM_IMPLICIT_CONST ? in.sleb() : 0, skip);
      if (known == Dw.AT_SIBLING && form == Dw.FORM_REF4 && skipCount - firstSkips[i] < 2) {
        siblings[i] = bytesBefore(firstSkips[i]);
      }
      addSkip(skip, firstSkips[i]);
    }
    firstAttributes[i + 1] = attributeCount;
    firstSkips[i + 1] = skipCount;
  }

  private void addAttribute(int name, int form, long constant, int skip) {
    if (attributeCount == attributes.length) {
      attributeSkips = Arrays.copyOf(attributeSkips, 2 * attributeCount);
      attributes = Arrays.copyOf(attributes, 2 * attributeCount);
    }
    if (constant != 0) {
      if (constants.length <= attributeCount) {
        constants = Arrays.copyOf(constants, attributes.length);
      }
      constants[attributeCount] = constant;
    }
    attributeSkips[attributeCount] = skip;
    attributes[attributeCount++] = name << 16 | form;
  }

  /** The size of the attributes so far, or -1 if it varies. */
  private int bytesBefore(int firstSkip) {
    return skipCount == firstSkip ? 0 : skips[firstSkip] > 0 ? skips[firstSkip] : -1;
  }

  private void addSkip(int skip, int first) {
    if (skip == 0) {
      return;
    }
    if (skip > 0 && skipCount > first && skips[skipCount - 1] > 0) {
      skips[skipCount - 1] += skip;
      return;
    }
    if (skipCount == skips.length) {
      skips = Arrays.copyOf(skips, 2 * skipCount);
    }
    skips[skipCount++] = skip;
  }

  private void grow() {
    int size = 2 * tags.length;
    tags = Arrays.copyOf(tags, size);
    children = Arrays.copyOf(children, size);
    code = Arrays.copyOf(code, size);
    siblings = Arrays.copyOf(siblings, size);
    firstAttributes = Arrays.copyOf(firstAttributes, size + 1);
    firstSkips = Arrays.copyOf(firstSkips, size + 1);
  }

  private void trim() {
    attributes = Arrays.copyOf(attributes, attributeCount);
    attributeSkips = Arrays.copyOf(attributeSkips, attributeCount);
    skips = Arrays.copyOf(skips, skipCount);
  }

  private void sort(long[] all) {
    Integer[] sorted = new Integer[all.length];
    Arrays.setAll(sorted, i -> i);
    // The sort is stable, so of several with the same code the first is found.
    Arrays.sort(sorted, (a, b) -> Long.compareUnsigned(all[a], all[b]));
    codes = new long[all.length];
    order = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      codes[i] = all[sorted[i]];
      order[i] = sorted[i];
    }
  }

  /** The number of the abbreviation with that code. */
  public int find(long wanted) {
    if (dense) {
      if (wanted < 1 || wanted > count) {
        throw new DwarfException("no abbreviation " + wanted);
      }
      return (int) wanted - 1;
    }
    int low = 0;
    int high = codes.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(codes[middle], wanted) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == codes.length || codes[low] != wanted) {
      throw new DwarfException("no abbreviation " + wanted);
    }
    return order[low];
  }

  public int tag(int abbreviation) {
    return tags[abbreviation];
  }

  public boolean hasChildren(int abbreviation) {
    return children[abbreviation];
  }

  /** Whether it has an attribute that says where its code is. */
  public boolean hasCode(int abbreviation) {
    return code[abbreviation];
  }

  /** The offset, after an entry's code, of the reference to its sibling (form ref4), or -1. */
  public int sibling(int abbreviation) {
    return siblings[abbreviation];
  }

  public int firstAttribute(int abbreviation) {
    return firstAttributes[abbreviation];
  }

  public int name(int attribute) {
    return attributes[attribute] >>> 16;
  }

  public int form(int attribute) {
    return attributes[attribute] & 0xffff;
  }

  public long constant(int attribute) {
    return attribute < constants.length ? constants[attribute] : 0;
  }

  /** Skips one attribute of an entry. */
  public void skipAttribute(int attribute, SectionReader in, UnitHeader shape) {
    int skip = attributeSkips[attribute];
    if (skip > 0) {
      in.skip(skip);
    } else if (skip < 0) {
      Forms.skipVariable(skip, in, shape);
    }
  }

  /** Skips the attributes of an entry. */
  public void skip(int abbreviation, SectionReader in, UnitHeader shape) {
    int last = firstSkips[abbreviation + 1];
    for (int i = firstSkips[abbreviation]; i < last; i++) {
      int skip = skips[i];
      if (skip > 0) {
        in.skip(skip);
      } else {
        Forms.skipVariable(skip, in, shape);
      }
    }
  }

  public long bytes() {
    return 200
        + 16L * tags.length
        + 4L * (2 * attributes.length + skips.length)
        + 8L * constants.length
        + 12L * codes.length;
  }
}
