package dev.plumb.profile;

/** What a node of a merged tree stands for: a kind of code, or what stacks hang under. */
public enum SymbolKind {
  /** The root: everything. */
  ALL,
  PROCESS,
  KERNEL,
  NATIVE,
  JIT,
  INTERPRETED,
  WAITING,
  /** Not code: where the rest of a stack is missing, towards the root. */
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
