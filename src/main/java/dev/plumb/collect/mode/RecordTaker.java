package dev.plumb.collect.mode;

import java.lang.foreign.MemorySegment;

/** A mode whose programs send a record per event. */
public interface RecordTaker {
  /** Takes a record; it is a view of the ring buffer, valid only during the call. */
  void take(MemorySegment record);
}
