package dev.plumb.collect.stop;

import dev.plumb.profile.Frame;
import java.util.List;

/**
 * The stack of a thread at one moment.
 *
 * @param state as {@code ps} shows it: R, S, D, T, Z, I
 * @param doing e.g. {@code running}, {@code waiting in futex}
 * @param places innermost first: the kernel part, then the user part
 * @param problem why the stack is incomplete, or empty
 */
public record ThreadStack(
    int tid, String comm, char state, String doing, List<Place> places, String problem) {
  public ThreadStack {
    places = List.copyOf(places);
  }

  /**
   * A frame and its position.
   *
   * @param processAddress where execution continues; 0 if unknown, as in the kernel
   * @param offset the same relative to the start of the function; 0 for inlined functions
   */
  public record Place(Frame frame, long processAddress, long offset) {}
}
