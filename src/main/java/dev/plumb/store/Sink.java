package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import java.util.OptionalLong;

/** Takes what was recorded here or pushed by others. */
public interface Sink {
  /**
   * Adds a recording; when this returns, every question sees it, and a second later it is
   * committed. The recording is the caller's to close.
   *
   * @param labels of all its series, e.g. {@code host}, or all that a client sent
   */
  void add(Recording recording, Labels labels);

  /**
   * Adds a recording and returns when it is committed: it survives the end of this process. If this
   * throws, nothing of the recording was added, and the caller may try again.
   */
  void addCommitted(Recording recording, Labels labels);

  /**
   * As {@link #addCommitted(Recording, Labels)}, and commits the mark in the same transaction.
   *
   * @return false if the mark, or a later one of its source, was committed before: then nothing was
   *     added
   */
  boolean addCommitted(Recording recording, Labels labels, SpoolMark mark);

  /** The number of the latest mark of a source that is committed; empty if there is none. */
  OptionalLong lastAdded(String source);
}
