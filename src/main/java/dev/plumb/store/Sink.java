package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;

/** Takes what was recorded here or pushed by others. */
public interface Sink {
  /**
   * Adds a recording; when this returns, every question sees it. The recording is the caller's to
   * close.
   *
   * @param labels of all its series, e.g. {@code host}, or all that a client sent
   */
  void add(Recording recording, Labels labels);
}
