package dev.plumb.collect.kernel;

/** {@code enum counter} of {@code plumb.h}, in its order. */
public enum Counter {
  TICKS(""),
  IDLE(""),
  DUE(""),
  LOST_SAMPLES("ring buffer full"),
  LOST_STACKS("ring buffer full (with a new stack)"),
  LOST_WAITS("too many waiting threads"),
  LOST_CHILDREN(""), // nobody knows how many of their events are missing
  COPIES(""),
  UNCOPIED(""),
  LOST_SUMS("too many different stacks within a second"),
  LOST_CALLS("too many calls at once"),
  LOST_BLOCKS("too many blocks of memory"),
  LOST_PAGES("too many pages not used yet");

  private final String lossText;

  Counter(String lossText) {
    this.lossText = lossText;
  }

  public boolean isLoss() {
    return !lossText.isEmpty();
  }

  /** Why something was lost, in words. */
  public String lossText() {
    return lossText;
  }
}
