package dev.plumb.unwind.rule;

/** Why a stack has no more frames. */
public enum UnwindEnd {
  /** It was unwound up to its outermost function. */
  WHOLE,
  /** There was no room for more. */
  DEPTH,
  /** Memory that it goes on in could not be read. */
  UNREADABLE,
  /** Code that nothing is known of does not keep frame pointers, or its caller's is lost. */
  NO_FRAME_POINTER,
  /** Code is described in a way that is not supported. */
  UNSUPPORTED,
  /** The caller's frame would not lie above: the stack is damaged, or a rule is wrong. */
  NO_PROGRESS
}
