package dev.plumb.profile;

/** What a node of a merged tree stands for: a kind of code, or an ancestor of stacks. */
public enum SymbolKind {
  /** The root: everything. */
  ALL,
  PROCESS,
  KERNEL,
  NATIVE,
  JIT,
  INTERPRETED,
  WAITING,
  /** No code: the missing part of a stack towards the root. */
  CUT;

  public static SymbolKind of(FrameKind kind) {
    return switch (kind) {
      case KERNEL -> KERNEL;
      case NATIVE -> NATIVE;
      case JIT -> JIT;
      case INTERPRETED -> INTERPRETED;
      case WAITING -> WAITING;
    };
  }
}
