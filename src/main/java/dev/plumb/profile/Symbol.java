package dev.plumb.profile;

/**
 * What frames are merged by: a function wherever in it a sample fell.
 *
 * @param inlined whether it stands for the function's inlined copies
 * @param named whether {@code name} is a real name
 * @param module the file or kernel module it lies in, or empty
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

  /** {@code [unknown in libfoo.so+0x1234]} is as little known as its neighbours: they are one. */
  private static String withoutAddress(String name) {
    int plus = name.lastIndexOf("+0x");
    return plus > 0 && name.endsWith("]") ? name.substring(0, plus) + "]" : name;
  }

  public static Symbol process(String comm) {
    return new Symbol(comm, SymbolKind.PROCESS, false, true, "");
  }

  /** Stands between a process and the frames of stacks that are not whole. */
  public static Symbol cut(StackEnd end) {
    return new Symbol("[cut: " + end.text() + "]", SymbolKind.CUT, false, true, "");
  }

  /** A number for the symbol, the same everywhere and always (FNV-1a over UTF-16). */
  public int stableHash() {
    int hash = mix(mix(ROOT_HASH, name), module);
    return (hash ^ (kind.ordinal() << 1 | (inlined ? 1 : 0))) * FNV_PRIME;
  }

  /**
   * A number for the way from the root to a frame, from that of its caller: the same wherever the
   * same frames are called, so that an address can name a place in a tree.
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

  /** The same function, not told apart by inlining. */
  public Symbol function() {
    return inlined ? new Symbol(name, kind, false, named, module) : this;
  }
}
