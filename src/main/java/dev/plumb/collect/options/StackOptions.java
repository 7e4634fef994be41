package dev.plumb.collect.options;

/** What of a stack is taken. */
public record StackOptions(boolean kernel, boolean user, int maxUserFrames) {
  /** As in {@code plumb.h}. */
  public static final int MAX_USER_FRAMES = 1024;

  public static final StackOptions DEFAULT = new StackOptions(true, true, MAX_USER_FRAMES);

  public StackOptions {
    if (maxUserFrames < 1 || maxUserFrames > MAX_USER_FRAMES) {
      throw new IllegalArgumentException(
          "stack depth " + maxUserFrames + ": use 1 to " + MAX_USER_FRAMES);
    }
  }
}
