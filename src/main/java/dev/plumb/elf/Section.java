package dev.plumb.elf;

/**
 * A section header.
 *
 * @param index its number; symbols refer to it
 * @param elfAddress where it is loaded, or 0
 */
public record Section(
    int index,
    String name,
    int type,
    long flags,
    long elfAddress,
    long fileOffset,
    long size,
    int link,
    int info,
    long alignment,
    long entrySize) {
  public static final int SHT_PROGBITS = 1;
  public static final int SHT_SYMTAB = 2;
  public static final int SHT_STRTAB = 3;
  public static final int SHT_RELA = 4;
  public static final int SHT_DYNAMIC = 6;
  public static final int SHT_NOTE = 7;
  public static final int SHT_NOBITS = 8;
  public static final int SHT_REL = 9;
  public static final int SHT_DYNSYM = 11;
  public static final int SHT_SYMTAB_SHNDX = 18;
  public static final long SHF_WRITE = 1;
  public static final long SHF_ALLOC = 2;
  public static final long SHF_EXECINSTR = 4;
  public static final long SHF_COMPRESSED = 0x800;
}
