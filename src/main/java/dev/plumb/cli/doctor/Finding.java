package dev.plumb.cli.doctor;

/**
 * One thing that {@code plumb doctor} looked at.
 *
 * @param needed whether nothing can be recorded without it
 * @param seen what was found
 * @param cost the effect if it is missing
 * @param remedy what to do about it
 */
record Finding(State state, String what, boolean needed, String seen, String cost, String remedy) {
  enum State {
    OK,
    MISSING
  }

  boolean ok() {
    return state == State.OK;
  }

  static Finding of(
      boolean ok, String what, boolean needed, String seen, String cost, String remedy) {
    return new Finding(ok ? State.OK : State.MISSING, what, needed, seen, cost, remedy);
  }

  /** A fact, neither good nor bad. */
  static Finding fact(String what, String seen) {
    return new Finding(State.OK, what, false, seen, "", "");
  }
}
