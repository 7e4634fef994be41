package dev.plumb.collect;

/** What of a stack is taken. */
public record StackOptions(boolean kernel, boolean user, int maxUserFrames) {
  public static final StackOptions DEFAULT = new StackOptions(true, true, 1024);

  public StackOptions {
    if (maxUserFrames < 1 || maxUserFrames > Records.MAX_USER_FRAMES) {
      throw new IllegalArgumentException(
          "stack depth " + maxUserFrames + ": use 1 to " + Records.MAX_USER_FRAMES);
    }
  }
}
