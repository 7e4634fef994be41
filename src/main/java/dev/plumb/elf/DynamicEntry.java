package dev.plumb.elf;

/** An entry of the dynamic section: DT_NEEDED 1, DT_STRTAB 5, DT_SYMTAB 6, DT_SONAME 14, …. */
public record DynamicEntry(long tag, long value) {
  public static final long DT_NULL = 0;
  public static final long DT_NEEDED = 1;
  public static final long DT_STRTAB = 5;
  public static final long DT_SYMTAB = 6;
  public static final long DT_SONAME = 14;
  public static final long DT_RPATH = 15;
  public static final long DT_RUNPATH = 29;
}
