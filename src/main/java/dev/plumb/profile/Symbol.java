package dev.plumb.profile;

/**
 * What frames are merged by: a function, regardless of the instruction.
 *
 * @param inlined whether it stands for the function's inlined copies
 * @param named whether {@code name} is a real name
 * @param module the file or kernel module, or empty
 */
public record Symbol(String name, SymbolKind kind, boolean inlined, boolean named, String module) {
  /** The path hash of the root. */
  public static final int ROOT_HASH = 0x811c9dc5;

  private static final int FNV_PRIME = 0x01000193;

  public static final Symbol ALL = new Symbol("all", SymbolKind.ALL, false, true, "");

  public static Symbol of(Frame frame) {
    return new Symbol(
        frame.named() ? frame.name() : withoutAddress(frame.name()),
        SymbolKind.of(frame.kind()),
        frame.inlined(),
        frame.named(),
        frame.module());
  }

  /** Merges all unknown places of a module, such as {@code [unknown in libfoo.so+0x1234]}. */
  private static String withoutAddress(String name) {
    int plus = name.lastIndexOf("+0x");
    return plus > 0 && name.endsWith("]") ? name.substring(0, plus) + "]" : name;
  }

  public static Symbol process(String comm) {
    return new Symbol(comm, SymbolKind.PROCESS, false, true, "");
  }

  /** Stands between a process and the frames of incomplete stacks. */
  public static Symbol cut(StackEnd end) {
    return new Symbol("[cut: " + end.text() + "]", SymbolKind.CUT, false, true, "");
  }

  /** A hash of the symbol that never changes (FNV-1a over UTF-16). */
  public int stableHash() {
    int hash = mix(mix(ROOT_HASH, name), module);
    return (hash ^ (kind.ordinal() << 1 | (inlined ? 1 : 0))) * FNV_PRIME;
  }

  /**
   * The hash of the path from the root to a frame, computed from its caller's. Equal paths have
   * equal hashes, so a URL can name a node of a tree.
   */
  static int pathHash(int caller, int symbol) {
    int hash = caller * FNV_PRIME ^ symbol;
    return hash ^ hash >>> 15;
  }

  private static int mix(int from, String text) {
    int hash = from;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return (hash ^ '\n') * FNV_PRIME;
  }

  /** The same function, whether inlined or not. */
  public Symbol function() {
    return inlined ? new Symbol(name, kind, false, named, module) : this;
  }
}
