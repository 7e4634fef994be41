package dev.plumb.collect.mode;

import java.util.Map;

/** A mode that has something to say about a recording. */
public interface FactReporter {
  /** What to say about the recording that was just made, by the name under which it is shown. */
  Map<String, String> facts();
}
