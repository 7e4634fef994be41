package dev.plumb.profile;

/**
 * The kind of a frame's code, which is its colour in a flame graph. Files contain the ordinals: add
 * only at the end.
 */
public enum FrameKind {
  KERNEL,
  NATIVE,
  JIT,
  INTERPRETED,
  /** No code: the reason why a thread waits, as the leaf of an off-CPU stack. */
  WAITING
}
