package dev.plumb.linux.proc;

import java.util.ArrayList;
import java.util.List;

/** Many names, each ended by a NUL, in pieces of memory, so that growing never copies them. */
public final class NamePieces {
  private static final int BITS = 16;
  private static final int PIECE = 1 << BITS;

  private final List<byte[]> pieces = new ArrayList<>();
  private int used = PIECE;

  /** Adds a name, cut if it does not fit into a piece; returns its place. */
  public int add(byte[] bytes, int start, int end) {
    int length = Math.min(end - start, PIECE - 1);
    if (used + length + 1 > PIECE) {
      pieces.add(new byte[PIECE]);
      used = 0;
    }
    System.arraycopy(bytes, start, pieces.getLast(), used, length);
    int at = pieces.size() - 1 << BITS | used;
    used += length + 1;
    return at;
  }

  public String text(int at) {
    byte[] piece = pieces.get(at >>> BITS);
    int start = at & PIECE - 1;
    int end = start;
    while (piece[end] != 0) {
      end++;
    }
    return ByteCursor.text(piece, start, end);
  }

  public long bytes() {
    return (long) PIECE * pieces.size();
  }
}
