package dev.plumb.collect.stop;

import dev.plumb.profile.Frame;
import java.util.List;

/**
 * The stack of a thread as it was at one moment.
 *
 * @param state as {@code ps} has it: R, S, D, T, Z, I
 * @param doing e.g. {@code running}, {@code waiting in futex}
 * @param places the innermost first; the kernel's part, then the user's
 * @param problem why there is no more of it, or empty
 */
public record ThreadStack(
    int tid, String comm, char state, String doing, List<Place> places, String problem) {
  public ThreadStack {
    places = List.copyOf(places);
  }

  /**
   * A frame where it was.
   *
   * @param processAddress where it goes on; 0 where that is not known, as in the kernel
   * @param offset the same from the function's start on; 0 for inlined ones
   */
  public record Place(Frame frame, long processAddress, long offset) {}
}
