package dev.plumb.unwind.rule;

/** Why a stack has no more frames. */
public enum UnwindEnd {
  /** The stack is complete: it was unwound up to its outermost function. */
  WHOLE,
  /** There was no room for more. */
  DEPTH,
  /** The memory of the next frame could not be read. */
  UNREADABLE,
  /** Code without a rule does not keep frame pointers, or the caller's frame pointer is lost. */
  NO_FRAME_POINTER,
  /** The code is described in an unsupported way. */
  UNSUPPORTED,
  /** The caller's frame would not be above: the stack is damaged, or a rule is wrong. */
  NO_PROGRESS
}
