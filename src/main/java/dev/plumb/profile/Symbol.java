package dev.plumb.profile;

/**
 * What frames are merged by: a function wherever in it a sample fell.
 *
 * @param inlined whether it stands for the function's inlined copies
 * @param named whether {@code name} is a real name
 * @param module the file or kernel module it lies in, or empty
 */
public record Symbol(String name, SymbolKind kind, boolean inlined, boolean named, String module) {
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

  /** The same function, not told apart by inlining. */
  public Symbol function() {
    return inlined ? new Symbol(name, kind, false, named, module) : this;
  }
}
