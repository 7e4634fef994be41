package dev.plumb.collect.mode;

import dev.plumb.collect.naming.Naming;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import java.util.Optional;

/** A mode that says in words what sets its rows apart. */
public interface RowNamer {
  /** For modes that have nothing to say. */
  RowNamer NONE = (stack, thread, detail, naming) -> Labels.NONE;

  /** What sets a row apart besides its stack and thread. */
  Labels labels(int stack, int thread, int detail, Naming naming);

  /** A frame below the stack's leaf that is not code: for example what the thread waits for. */
  default Optional<Frame> leaf(int stack, int thread, int detail, Naming naming) {
    return Optional.empty();
  }
}
