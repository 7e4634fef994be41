package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import java.util.OptionalLong;

/** Accepts recordings made here or pushed by clients. */
public interface Sink {
  /**
   * Adds a recording. Every later query sees it; it is committed within a second. The caller closes
   * the recording.
   *
   * @param labels for all its series, e.g. {@code host}, or all that a client sent
   */
  void add(Recording recording, Labels labels);

  /**
   * Adds a recording and returns when it is committed, so that it survives the end of this process.
   * If this throws, nothing of the recording was added, and the caller may try again.
   */
  void addCommitted(Recording recording, Labels labels);

  /**
   * As {@link #addCommitted(Recording, Labels)}, and commits the mark in the same transaction.
   *
   * @return false, with nothing added, if this mark or a later one of its source was already
   *     committed
   */
  boolean addCommitted(Recording recording, Labels labels, SpoolMark mark);

  /** The number of the latest committed mark of a source; empty if there is none. */
  OptionalLong lastAdded(String source);
}
