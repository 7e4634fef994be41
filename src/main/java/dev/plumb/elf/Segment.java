package dev.plumb.elf;

/** A program header: what is loaded where. */
public record Segment(
    int type,
    int flags,
    long fileOffset,
    long elfAddress,
    long fileSize,
    long memorySize,
    long alignment) {
  public static final int PT_LOAD = 1;
  public static final int PT_DYNAMIC = 2;
  public static final int PT_INTERP = 3;
  public static final int PT_NOTE = 4;
  public static final int PT_TLS = 7;
  public static final int PT_GNU_EH_FRAME = 0x6474e550;
  public static final int PF_X = 1;

  public boolean executable() {
    return (flags & PF_X) != 0;
  }
}
