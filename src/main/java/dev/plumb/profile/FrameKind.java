package dev.plumb.profile;

/**
 * Which kind of code a frame is; the colour of a flame graph. Files hold the ordinals: add at the
 * end.
 */
public enum FrameKind {
  KERNEL,
  NATIVE,
  JIT,
  INTERPRETED,
  /** Not code: why a thread waits, as the leaf of an off-CPU stack. */
  WAITING
}
