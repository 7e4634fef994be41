package dev.plumb.symbols.go;

import java.util.Optional;

/**
 * The layouts of the table, by the compiler's version.
 *
 * <pre>
 *  _func      1.16, 1.17            1.18, 1.19         from 1.20 on
 *  entry      word   0              u32    0           u32    0
 *  nameOff    i32  word             i32    4           i32    4
 *  args       i32  word + 4         i32    8           i32    8
 *  deferret.  u32  word + 8         u32   12           u32   12
 *  pcsp       u32  word + 12        u32   16           u32   16
 *  pcfile     u32  word + 16        u32   20           u32   20
 *  pcln       u32  word + 20        u32   24           u32   24
 *  npcdata    u32  word + 24        u32   28           u32   28
 *  cuOffset   u32  word + 28        u32   32           u32   32
 *  startLine                                           i32   36
 *  funcID u8, flag u8, pad u8, nfuncdata u8: the last 4 bytes
 * </pre>
 */
enum PclnVersion {
  GO_1_16(0xffff_fffaL, 4, 0, 0, 0),
  GO_1_18(0xffff_fff0L, 4, 38, 20, 12),
  GO_1_20(0xffff_fff1L, 8, 40, 16, 4);

  private final long magic;

  /** Bytes of _func behind cuOffset. */
  private final int tail;

  /** The word of moduledata that says where inlined functions are described; 0 if there is none. */
  private final int gofuncWord;

  /** Bytes of the description of an inlined function. */
  private final int inlinedSize;

  /** The offset of its name in that description; the place of the call follows. */
  private final int inlinedName;

  PclnVersion(long magic, int tail, int gofuncWord, int inlinedSize, int inlinedName) {
    this.magic = magic;
    this.tail = tail;
    this.gofuncWord = gofuncWord;
    this.inlinedSize = inlinedSize;
    this.inlinedName = inlinedName;
  }

  static Optional<PclnVersion> of(long magic) {
    for (PclnVersion version : values()) {
      if (version.magic == magic) {
        return Optional.of(version);
      }
    }
    return Optional.empty();
  }

  /** Whether entries are offsets from the start of the code, in 4 bytes. */
  boolean relative() {
    return this != GO_1_16;
  }

  int functionSize(int entrySize) {
    return entrySize + 32 + tail;
  }

  int gofuncWord() {
    return gofuncWord;
  }

  int inlinedSize() {
    return inlinedSize;
  }

  int inlinedName() {
    return inlinedName;
  }
}
