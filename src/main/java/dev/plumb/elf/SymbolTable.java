package dev.plumb.elf;

import java.util.Objects;
import java.util.Optional;

/**
 * A view on a symbol table; nothing is copied until a name is needed.
 *
 * <pre>
 *                64 bit  32 bit                 64 bit  32 bit
 * st_name   u32     0       0     st_value word    8       4
 * st_info   u8      4      12     st_size  word   16       8
 * st_other  u8      5      13     (end)           24      16
 * st_shndx  u16     6      14
 * </pre>
 */
public final class SymbolTable {
  public static final int STT_NOTYPE = 0;
  public static final int STT_OBJECT = 1;
  public static final int STT_FUNC = 2;
  public static final int STT_SECTION = 3;
  public static final int STT_FILE = 4;
  public static final int STT_TLS = 6;
  public static final int STT_GNU_IFUNC = 10;
  public static final int STB_LOCAL = 0;
  public static final int STB_GLOBAL = 1;
  public static final int STB_WEAK = 2;
  public static final int SHN_UNDEF = 0;
  public static final int SHN_ABS = 0xfff1;
  public static final int SHN_COMMON = 0xfff2;
  private static final int SHN_LORESERVE = 0xff00;
  private static final int SHN_XINDEX = 0xffff;

  /** Several times what the largest programs have; a sparse file may claim any number. */
  private static final int MAX_SYMBOLS = 1 << 24;

  /** How many symbols are copied at a time. */
  private static final int PIECE = 2048;

  private final ElfBytes entries;
  private final ElfBytes strings;
  private final Optional<ElfBytes> extendedSections;
  private final int stride;
  private final int size;

  SymbolTable(
      ElfBytes entries, long entrySize, ElfBytes strings, Optional<ElfBytes> extendedSections) {
    this.stride = entries.is64() ? 24 : 16;
    if (entrySize != stride && entrySize != 0) {
      throw new ElfException(
          entries.what() + ": symbols of " + Long.toUnsignedString(entrySize) + " bytes");
    }
    this.entries = entries;
    this.strings = strings;
    this.extendedSections = extendedSections;
    if (entries.size() / stride > MAX_SYMBOLS) {
      throw new ElfException(entries.what() + ": " + entries.size() / stride + " symbols");
    }
    this.size = (int) (entries.size() / stride);
  }

  public int size() {
    return size;
  }

  public String name(int symbol) {
    return entries.guard(() -> strings.string(entries.u32(at(symbol))));
  }

  /** Where its name starts in {@link #strings}. */
  public long nameOffset(int symbol) {
    return entries.guard(() -> entries.u32(at(symbol)));
  }

  /** The string table that has the names. */
  public ElfBytes strings() {
    return strings;
  }

  /** For executables an ELF address, for relocatable files an offset in the section. */
  public long value(int symbol) {
    return entries.guard(() -> rawValue(at(symbol)));
  }

  public long size(int symbol) {
    return entries.guard(() -> rawSize(at(symbol)));
  }

  /** STT_…. */
  public int type(int symbol) {
    return entries.guard(() -> info(at(symbol)) & 0xf);
  }

  /** STB_…. */
  public int binding(int symbol) {
    return entries.guard(() -> info(at(symbol)) >>> 4);
  }

  /** STV_DEFAULT 0, STV_INTERNAL 1, STV_HIDDEN 2, STV_PROTECTED 3. */
  public int visibility(int symbol) {
    return entries.guard(() -> entries.u8(at(symbol) + (entries.is64() ? 5 : 13)) & 3);
  }

  /**
   * The section it is defined in, with extended numbering resolved; SHN_UNDEF if it is undefined.
   * SHN_ABS, SHN_COMMON and the other reserved numbers are returned as they are; in a file of more
   * than 65 280 sections they are ambiguous: see {@link #isReservedSection}.
   */
  public int section(int symbol) {
    return entries.guard(() -> resolvedSection(symbol, rawSection(at(symbol))));
  }

  /** Whether {@link #section} is a reserved number such as SHN_ABS, not a section. */
  public boolean isReservedSection(int symbol) {
    return entries.guard(() -> isReserved(rawSection(at(symbol))));
  }

  /** Takes one symbol. */
  @FunctionalInterface
  public interface Visitor {
    void symbol(
        int symbol, long nameOffset, long value, long size, int type, int binding, int section);
  }

  /** Visits the symbols that are defined in a section: the fast way through a large table. */
  public void forEachDefined(Visitor visitor) {
    entries.guard(
        () -> {
          int words = stride / 4;
          int[] piece = new int[PIECE * words];
          for (int first = 0; first < size; first += PIECE) {
            int count = Math.min(PIECE, size - first);
            entries.copyInts((long) first * stride, piece, count * words);
            for (int i = 0; i < count; i++) {
              visit(first + i, piece, i * words, visitor);
            }
          }
          return size;
        });
  }

  /** The diagram above, in words of 4 bytes. */
  private void visit(int symbol, int[] words, int at, Visitor visitor) {
    boolean is64 = entries.is64();
    boolean big = entries.isBigEndian();
    int packed = words[at + (is64 ? 1 : 3)];
    int section = big ? packed & 0xffff : packed >>> 16;
    if (section == SHN_UNDEF || isReserved(section)) {
      return;
    }
    if (section == SHN_XINDEX) {
      if (extendedSections.isEmpty()) {
        return;
      }
      section = resolvedSection(symbol, section);
    }
    int info = big ? packed >>> 24 : packed & 0xff;
    long value = is64 ? pair(words, at + 2, big) : words[at + 1] & 0xffff_ffffL;
    long length = is64 ? pair(words, at + 4, big) : words[at + 2] & 0xffff_ffffL;
    visitor.symbol(
        symbol, words[at] & 0xffff_ffffL, value, length, info & 0xf, info >>> 4, section);
  }

  private static long pair(int[] words, int at, boolean big) {
    long first = words[at] & 0xffff_ffffL;
    long second = words[at + 1] & 0xffff_ffffL;
    return big ? first << 32 | second : second << 32 | first;
  }

  private int resolvedSection(int symbol, int section) {
    if (section != SHN_XINDEX) {
      return section;
    }
    return extendedSections
        .orElseThrow(
            () -> new ElfException(entries.what() + ": no table of extended section numbers"))
        .i32(4L * symbol);
  }

  private static boolean isReserved(int section) {
    return section >= SHN_LORESERVE && section != SHN_XINDEX;
  }

  private int rawSection(long at) {
    return entries.u16(at + (entries.is64() ? 6 : 14));
  }

  private long rawValue(long at) {
    return entries.word(at + (entries.is64() ? 8 : 4));
  }

  private long rawSize(long at) {
    return entries.word(at + (entries.is64() ? 16 : 8));
  }

  private int info(long at) {
    return entries.u8(at + (entries.is64() ? 4 : 12));
  }

  private long at(int symbol) {
    return (long) Objects.checkIndex(symbol, size) * stride;
  }
}
