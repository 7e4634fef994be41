package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import java.util.Arrays;

/**
 * The slots that the dynamic linker fills with addresses of functions, and which function each
 * gets, from the relocations of a file. A target is a symbol's number in {@code .dynsym}; if
 * negative, it is -1 - the number of a resolver; 0 is none.
 */
final class PltSlots {
  /** The maximum number of relocations read; a sparse file may claim any number. */
  private static final int MAX_RELOCATIONS = 1 << 22;

  private static final int NUMBER_BITS = 17;

  /** The maximum number of slots; the largest programs have some thousands. */
  static final int MAX = 1 << NUMBER_BITS;

  /** The types of relocation that fill a slot, by architecture. */
  private record Types(int globDat, int jumpSlot, int irelative) {}

  private final boolean is64;
  private final Types types;
  private long[] slots = new long[256];
  private int[] targets = new int[256];
  private int count;
  private int[] lazy = {};
  private long[] resolvers = new long[16];
  private int resolverCount;

  private PltSlots(ElfFile elf) {
    this.is64 = elf.is64();
    this.types =
        switch (elf.machine()) {
          case ElfFile.EM_386 -> new Types(6, 7, 42);
          case ElfFile.EM_X86_64 -> new Types(6, 7, 37);
          case ElfFile.EM_AARCH64 -> new Types(1025, 1026, 1032);
          default -> new Types(-1, -1, -1); // not known, so nothing is named
        };
  }

  static PltSlots of(ElfFile elf) {
    PltSlots found = new PltSlots(elf);
    int rest = MAX_RELOCATIONS;
    for (Section section : elf.sections()) {
      boolean relocations = section.type() == Section.SHT_RELA || section.type() == Section.SHT_REL;
      if (relocations && (section.flags() & Section.SHF_ALLOC) != 0) {
        rest -= found.read(section, elf.bytes(section), rest);
      }
    }
    found.sort();
    return found;
  }

  /** Returns their number. A REL is {offset, info}, a RELA {offset, info, addend}. */
  private int read(Section section, ElfBytes bytes, int most) {
    int word = is64 ? 8 : 4;
    boolean addends = section.type() == Section.SHT_RELA;
    int stride = (addends ? 3 : 2) * word;
    int n = (int) Math.min(most, bytes.size() / stride);
    boolean plt = section.name().equals(".rela.plt") || section.name().equals(".rel.plt");
    int[] order = new int[plt ? Math.min(n, MAX) : 0];
    for (int i = 0; i < n && count < MAX; i++) {
      long at = (long) i * stride;
      int target = target(bytes.word(at + word), addends ? bytes.word(at + 2 * word) : 0);
      if (target != 0) {
        add(bytes.word(at), target);
      }
      if (i < order.length) {
        order[i] = target;
      }
    }
    lazy = plt ? order : lazy;
    return n;
  }

  private int target(long info, long addend) {
    long type = is64 ? info & 0xffff_ffffL : info & 0xff;
    long symbol = is64 ? info >>> 32 : info >>> 8;
    if (type == types.irelative && addend != 0) {
      if (resolverCount == resolvers.length) {
        resolvers = Arrays.copyOf(resolvers, 2 * resolverCount);
      }
      resolvers[resolverCount] = addend;
      return -1 - resolverCount++;
    }
    boolean known = type == types.globDat || type == types.jumpSlot;
    return known && symbol <= Integer.MAX_VALUE ? (int) symbol : 0;
  }

  private void add(long slot, int target) {
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, 2 * count);
      targets = Arrays.copyOf(targets, 2 * count);
    }
    slots[count] = slot;
    targets[count++] = target;
  }

  /** Sorts longs of {offset from the lowest, number}, so that no objects are made. */
  private void sort() {
    long lowest = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      lowest = Math.min(lowest, slots[i]);
    }
    long[] keys = new long[count];
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long offset = slots[i] - lowest;
      if (offset >= 0 && offset >>> (63 - NUMBER_BITS) == 0) {
        keys[kept++] = offset << NUMBER_BITS | i;
      }
    }
    Arrays.sort(keys, 0, kept);
    int[] sorted = new int[kept];
    for (int i = 0; i < kept; i++) {
      sorted[i] = targets[(int) keys[i] & MAX - 1];
      keys[i] = lowest + (keys[i] >>> NUMBER_BITS);
    }
    slots = Arrays.copyOf(keys, kept);
    targets = sorted;
    count = kept;
  }

  /** The target whose address a slot gets; 0 if there is none. */
  int targetOf(long slotElfAddress) {
    int found = Arrays.binarySearch(slots, slotElfAddress);
    return found < 0 ? 0 : targets[found];
  }

  /** The target of a relocation in {@code .rela.plt}, by the number that lazy entries push. */
  int targetOfLazy(long number) {
    return number >= 0 && number < lazy.length ? lazy[(int) number] : 0;
  }

  /** ELF addresses of the resolvers: functions that choose the one to call. */
  long[] resolvers() {
    return Arrays.copyOf(resolvers, resolverCount);
  }
}
