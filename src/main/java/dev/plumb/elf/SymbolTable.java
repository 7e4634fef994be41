package dev.plumb.elf;

import java.util.Objects;
import java.util.Optional;

/**
 * A view on a symbol table; nothing is copied until a name is asked for.
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
  static final int SHN_XINDEX = 0xffff;

  private final ElfBytes entries;
  private final ElfBytes strings;
  private final Optional<ElfBytes> extendedSections;
  private final int stride;
  private final int size;

  SymbolTable(
      ElfBytes entries, long entrySize, ElfBytes strings, Optional<ElfBytes> extendedSections) {
    int least = entries.is64() ? 24 : 16;
    long asked = entrySize == 0 ? least : entrySize;
    if (asked < least || asked > 1 << 16) {
      throw new ElfException(
          entries.what() + ": symbols of " + Long.toUnsignedString(asked) + " bytes");
    }
    this.entries = entries;
    this.strings = strings;
    this.extendedSections = extendedSections;
    this.stride = (int) asked;
    this.size = (int) Math.min(Integer.MAX_VALUE, entries.size() / asked);
  }

  public int size() {
    return size;
  }

  public String name(int symbol) {
    return strings.string(nameOffset(symbol));
  }

  /** Where its name starts in {@link #strings}. */
  public long nameOffset(int symbol) {
    return entries.u32(at(symbol));
  }

  /** The string table that the names stand in. */
  public ElfBytes strings() {
    return strings;
  }

  /** For executables an ELF address, for relocatable files an offset in the section. */
  public long value(int symbol) {
    return entries.word(at(symbol) + (entries.is64() ? 8 : 4));
  }

  public long size(int symbol) {
    return entries.word(at(symbol) + (entries.is64() ? 16 : 8));
  }

  /** STT_…. */
  public int type(int symbol) {
    return info(symbol) & 0xf;
  }

  /** STB_…. */
  public int binding(int symbol) {
    return info(symbol) >>> 4;
  }

  /** STV_DEFAULT 0, STV_INTERNAL 1, STV_HIDDEN 2, STV_PROTECTED 3. */
  public int visibility(int symbol) {
    return entries.u8(at(symbol) + (entries.is64() ? 5 : 13)) & 3;
  }

  /**
   * The section it is defined in, extended numbering resolved; SHN_UNDEF if it is not. SHN_ABS,
   * SHN_COMMON and the other reserved numbers are returned as they are, which a file of more than
   * 65 280 sections makes ambiguous: see {@link #isReservedSection}.
   */
  public int section(int symbol) {
    int section = rawSection(symbol);
    if (section != SHN_XINDEX) {
      return section;
    }
    return extendedSections
        .orElseThrow(
            () -> new ElfException(entries.what() + ": no table of extended section numbers"))
        .i32(4L * Objects.checkIndex(symbol, size));
  }

  /** Whether {@link #section} is a reserved number such as SHN_ABS, not a section. */
  public boolean isReservedSection(int symbol) {
    int section = rawSection(symbol);
    return section >= 0xff00 && section != SHN_XINDEX;
  }

  private int rawSection(int symbol) {
    return entries.u16(at(symbol) + (entries.is64() ? 6 : 14));
  }

  private int info(int symbol) {
    return entries.u8(at(symbol) + (entries.is64() ? 4 : 12));
  }

  private long at(int symbol) {
    return (long) Objects.checkIndex(symbol, size) * stride;
  }
}
