package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The types of a BPF object or of the kernel, in BTF. A type is its number (0 is void), and what it
 * is like is asked of this class; nothing is made an object, because a kernel has 150 000 types and
 * a program needs twenty.
 *
 * <pre>
 * type:  0 name   4 info: vlen 0-15, kind 24-28, kind flag 31   8 size or type   12 … by kind
 * </pre>
 *
 * All of a type is 32-bit words, so the types are kept as words: reading one costs an array access,
 * also before the JIT compiler has come.
 *
 * <p>Split BTF (of a kernel module) continues the numbers and strings of its base. Every method
 * answers or throws {@link BpfException}, whatever the bytes were.
 */
public final class Btf {
  private static final int CHUNK = 64;

  /** How long a chain of typedefs or of arrays may be before it is taken for a loop. */
  static final int MAX_DEPTH = 64;

  private final Btf base;
  private final int firstId;
  private final int[] words;
  private final int[] offsets;
  private final int firstString;
  private final byte[] strings;
  private NameIndex names;
  private NameIndex functionNames;

  Btf(Btf base, int[] words, byte[] strings) {
    this.base = base;
    this.firstId = base == null ? 1 : base.count();
    this.firstString = base == null ? 0 : base.firstString + base.strings.length;
    this.words = words;
    this.strings = strings;
    if (strings.length > 0 && strings[strings.length - 1] != 0) {
      throw new BpfException("BTF: the strings do not end in NUL");
    }
    this.offsets = index(words);
  }

  /** Reads a whole blob; the bytes are copied. */
  public static Btf of(MemorySegment blob) {
    return new BtfReader.OfMemory(blob).read(null);
  }

  /** Reads split BTF, as a kernel module has, on the types that it builds on. */
  public static Btf split(MemorySegment blob, Btf base) {
    return new BtfReader.OfMemory(blob).read(base);
  }

  private static int[] index(int[] words) {
    int[] offsets = new int[Math.max(CHUNK, words.length / 6)];
    int count = 0;
    int at = 0;
    while (at < words.length) {
      if (offsets.length - count < CHUNK) {
        offsets = Arrays.copyOf(offsets, 2 * offsets.length);
      }
      int indexed = indexSome(words, at, offsets, count);
      count += indexed;
      at = end(words, offsets[count - 1]);
    }
    if (at > words.length) {
      throw new BpfException("BTF: type " + count + " is cut off");
    }
    return Arrays.copyOf(offsets, count);
  }

  /**
   * Notes where up to CHUNK types start; returns how many. A method that is called often is
   * compiled much sooner than a loop that runs long, and this runs when nothing is warm yet.
   */
  private static int indexSome(int[] words, int from, int[] offsets, int count) {
    int at = from;
    int found = 0;
    while (found < CHUNK && at < words.length) {
      if (words.length - at < 3) {
        throw new BpfException("BTF: type " + (count + found + 1) + " is cut off");
      }
      offsets[count + found++] = at;
      at = end(words, at);
    }
    return found;
  }

  /** Where the type that starts at {@code at} ends. */
  private static int end(int[] words, int at) {
    int info = words[at + 1];
    int kind = info >>> 24 & 0x1f;
    if (!BtfKind.isKnown(kind)) {
      throw new BpfException("BTF: a type is of the unknown kind " + kind);
    }
    return at + 3 + BtfKind.extraWords(kind, info & 0xffff);
  }

  /** One more than the highest number of a type. */
  public int count() {
    return firstId + offsets.length;
  }

  /** The lowest number that is not the base's: 1 where there is no base. */
  public int firstId() {
    return firstId;
  }

  /** Whether there is such a type (or void). */
  public boolean has(int id) {
    return id >= 0 && id < count();
  }

  /** The BTF that holds this type itself: this one, or its base. */
  private Btf owner(int id) {
    Btf owner = this;
    while (id < owner.firstId && owner.base != null) {
      owner = owner.base;
    }
    if (id < owner.firstId || id >= owner.count()) {
      throw new BpfException("BTF: there is no type " + id);
    }
    return owner;
  }

  private int word(int id, int index) {
    Btf owner = owner(id);
    return owner.words[owner.offsets[id - owner.firstId] + index];
  }

  /** One of the words after the common three, if the type has so many. */
  private int extra(int id, int index) {
    Btf owner = owner(id);
    int at = owner.offsets[id - owner.firstId];
    int info = owner.words[at + 1];
    if (index < 0 || index >= BtfKind.extraWords(info >>> 24 & 0x1f, info & 0xffff)) {
      throw new BpfException("BTF: type " + id + " has no word " + index);
    }
    return owner.words[at + 3 + index];
  }

  /** {@link BtfKind}; of 0, void. */
  public int kind(int id) {
    return id == 0 ? BtfKind.VOID : word(id, 1) >>> 24 & 0x1f;
  }

  /** The number of members, enumerators, parameters or variables. */
  public int length(int id) {
    return id == 0 ? 0 : word(id, 1) & 0xffff;
  }

  /** Of composites: members have bit sizes. Of enums: signed. Of fwd: a union. */
  public boolean flag(int id) {
    return id != 0 && word(id, 1) < 0;
  }

  /** The size in bytes that an int, struct, union, enum, float or datasec states. */
  public int statedSize(int id) {
    return word(id, 2);
  }

  /** The type that a pointer, modifier, func, var or tag refers to; a func_proto's result. */
  public int target(int id) {
    return word(id, 2);
  }

  /** Static 0, global 1, extern 2; of a func. */
  public int linkage(int id) {
    return kind(id) == BtfKind.FUNC ? length(id) : extra(id, 0);
  }

  /** Bits 0-7 size, 16-23 offset, 24 signed, 25 char, 26 bool. */
  public int intInfo(int id) {
    return extra(id, 0);
  }

  public boolean isSignedInt(int id) {
    return kind(id) == BtfKind.INT && (intInfo(id) >>> 24 & 1) != 0;
  }

  public int arrayElement(int id) {
    return extra(id, 0);
  }

  public long arrayLength(int id) {
    return Integer.toUnsignedLong(extra(id, 2));
  }

  public int memberName(int id, int member) {
    return extra(id, member * 3);
  }

  public int memberType(int id, int member) {
    return extra(id, member * 3 + 1);
  }

  /** Where a member of a struct starts, in bits. */
  public int memberBitOffset(int id, int member) {
    int offset = extra(id, member * 3 + 2);
    return flag(id) ? offset & 0xffffff : offset;
  }

  /** The bits of a bit field, 0 of an ordinary member. */
  public int memberBitSize(int id, int member) {
    return flag(id) ? extra(id, member * 3 + 2) >>> 24 : 0;
  }

  public int parameterName(int id, int parameter) {
    return extra(id, parameter * 2);
  }

  public int parameterType(int id, int parameter) {
    return extra(id, parameter * 2 + 1);
  }

  public int enumeratorName(int id, int i) {
    return extra(id, i * (kind(id) == BtfKind.ENUM64 ? 3 : 2));
  }

  /** As the kernel's C code has it in 64 bits: sign-extended if the enum is signed. */
  public long enumeratorValue(int id, int i) {
    if (kind(id) == BtfKind.ENUM64) {
      return Integer.toUnsignedLong(extra(id, i * 3 + 1)) | (long) extra(id, i * 3 + 2) << 32;
    }
    int value = extra(id, i * 2 + 1);
    return flag(id) ? value : Integer.toUnsignedLong(value);
  }

  /** The i-th variable of a datasec: its type number. */
  public int sectionVariable(int id, int i) {
    return extra(id, i * 3);
  }

  public int sectionOffset(int id, int i) {
    return extra(id, i * 3 + 1);
  }

  public int sectionSize(int id, int i) {
    return extra(id, i * 3 + 2);
  }

  /** Where a type's name starts in the strings; 0 for none. */
  public int nameOffset(int id) {
    return id == 0 ? 0 : word(id, 0);
  }

  public String name(int id) {
    return string(nameOffset(id));
  }

  public boolean isAnonymous(int id) {
    int offset = nameOffset(id);
    return offset == 0 || length(stringOwner(offset), offset) == 0;
  }

  public String string(int offset) {
    Btf owner = stringOwner(offset);
    int from = offset - owner.firstString;
    return new String(owner.strings, from, length(owner, offset), StandardCharsets.UTF_8);
  }

  private Btf stringOwner(int offset) {
    Btf owner = this;
    while (owner.base != null && Integer.compareUnsigned(offset, owner.firstString) < 0) {
      owner = owner.base;
    }
    if (Integer.compareUnsigned(offset - owner.firstString, owner.strings.length) >= 0) {
      throw new BpfException("BTF: the strings have no offset " + Integer.toUnsignedString(offset));
    }
    return owner;
  }

  /** The constructor saw that the strings end in NUL, so there is one after any offset in them. */
  private static int length(Btf owner, int offset) {
    int from = offset - owner.firstString;
    int end = from;
    while (owner.strings[end] != 0) {
      end++;
    }
    return end - from;
  }

  /** The array that holds this string, and where it starts there. */
  byte[] stringBytes(int offset) {
    return stringOwner(offset).strings;
  }

  int stringStart(int offset) {
    return offset - stringOwner(offset).firstString;
  }

  /** The type behind typedefs, const, volatile, restrict and type tags. */
  public int skipModifiers(int id) {
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
      switch (kind(id)) {
        case BtfKind.TYPEDEF, BtfKind.CONST, BtfKind.VOLATILE, BtfKind.RESTRICT, BtfKind.TYPE_TAG ->
            id = target(id);
        default -> {
          return id;
        }
      }
    }
    throw new BpfException("BTF: the typedefs of type " + id + " never end");
  }

  /** The size in bytes, through modifiers, arrays and variables. */
  public long sizeOf(int id) {
    long times = 1;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
      id = skipModifiers(id);
      switch (kind(id)) {
        case BtfKind.INT,
            BtfKind.STRUCT,
            BtfKind.UNION,
            BtfKind.ENUM,
            BtfKind.ENUM64,
            BtfKind.FLOAT,
            BtfKind.DATASEC -> {
          return checkedSize(times, Integer.toUnsignedLong(statedSize(id)), id);
        }
        case BtfKind.PTR -> {
          return checkedSize(times, 8, id);
        }
        case BtfKind.ARRAY -> {
          times = checkedSize(times, arrayLength(id), id);
          id = arrayElement(id);
        }
        case BtfKind.VAR -> id = target(id);
        default -> throw new BpfException("BTF: " + describe(id) + " has no size");
      }
    }
    throw new BpfException("BTF: the arrays of type " + id + " never end");
  }

  private static long checkedSize(long a, long b, int id) {
    if (Math.multiplyHigh(a, b) != 0 || a * b < 0 || a * b > Integer.MAX_VALUE) {
      throw new BpfException("BTF: type " + id + " is too large");
    }
    return a * b;
  }

  /** Names for people: {@code struct task_struct}, {@code typedef u32}. */
  public String describe(int id) {
    if (id == 0) {
      return "void";
    }
    String name = name(id);
    return BtfKind.name(kind(id)) + " " + (name.isEmpty() ? "(anonymous, type " + id + ")" : name);
  }

  /** Finds types by name, not functions. Made when first asked for; not of the base. */
  synchronized NameIndex names() {
    if (names == null) {
      names = new NameIndex(this, false);
    }
    return names;
  }

  private synchronized NameIndex functionNames() {
    if (functionNames == null) {
      functionNames = new NameIndex(this, true);
    }
    return functionNames;
  }

  /** The type of that kind and exactly that name, here or in the base; -1 if there is none. */
  public int find(String name, int kind) {
    for (Btf btf = this; btf != null; btf = btf.base) {
      int id = (kind == BtfKind.FUNC ? btf.functionNames() : btf.names()).find(name, kind);
      if (id > 0) {
        return id;
      }
    }
    return -1;
  }

  int[] rawWords() {
    return words;
  }

  int[] rawOffsets() {
    return offsets;
  }

  byte[] rawStrings() {
    return strings;
  }
}
