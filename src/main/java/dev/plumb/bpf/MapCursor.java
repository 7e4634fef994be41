package dev.plumb.bpf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** How far a pass over a map by batches has come. Good for one pass over one map. */
public final class MapCursor {
  private MemorySegment position = MemorySegment.NULL;
  private boolean started;
  private boolean finished;
  private long steps;

  /** Whether the pass is over. */
  public boolean isFinished() {
    return finished;
  }

  boolean isStarted() {
    return started;
  }

  /** Room for what the kernel remembers of the place: a key, or at least its own 32 bits. */
  MemorySegment position(int keySize) {
    if (position.equals(MemorySegment.NULL)) {
      position = Arena.ofAuto().allocate(Math.max(keySize, 8), 8);
    }
    return position;
  }

  /** How often it was moved on. */
  long steps() {
    return steps;
  }

  void advanced(boolean atEnd) {
    steps++;
    started = true;
    finished = atEnd;
  }
}
