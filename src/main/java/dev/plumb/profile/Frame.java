package dev.plumb.profile;

/**
 * A named place in code.
 *
 * @param name the function; {@code [unknown in libfoo.so+0x1234]} if it has no name
 * @param inlined whether it was inlined into its caller
 * @param named whether {@code name} is a real name
 * @param module the file or kernel module, e.g. {@code libc.so.6}, {@code [kernel]}; empty if none
 * @param buildId the module's GNU build id in hex, or empty
 * @param elfAddress the address in the module's own address space (kernel: the kernel address)
 * @param offset bytes from the function's start
 * @param file source file, or empty
 * @param line source line, or 0
 */
public record Frame(
    String name,
    FrameKind kind,
    boolean inlined,
    boolean named,
    String module,
    String buildId,
    long elfAddress,
    long offset,
    String file,
    int line) {

  /** By hand: a record's own methods are slow where only the C1 compiler runs. */
  @Override
  public boolean equals(Object other) {
    return this == other
        || other instanceof Frame frame
            && elfAddress == frame.elfAddress
            && offset == frame.offset
            && line == frame.line
            && kind == frame.kind
            && inlined == frame.inlined
            && named == frame.named
            && name.equals(frame.name)
            && module.equals(frame.module)
            && buildId.equals(frame.buildId)
            && file.equals(frame.file);
  }

  @Override
  public int hashCode() {
    int hash = name.hashCode() * 31 + Long.hashCode(elfAddress);
    hash = hash * 31 + line;
    hash = hash * 31 + kind.ordinal() * 2 + (inlined ? 1 : 0);
    return hash * 31 + module.hashCode();
  }

  /** A frame without an address, as in text formats. */
  public static Frame ofName(String name, FrameKind kind) {
    return new Frame(name, kind, false, true, "", "", 0, 0, "", 0);
  }

  /** The same with a source line. */
  public Frame at(String sourceFile, int sourceLine, boolean isInlined) {
    return new Frame(
        name, kind, isInlined, named, module, buildId, elfAddress, offset, sourceFile, sourceLine);
  }

  /** The name with FlameGraph's mark for its kind: {@code _[k]}, {@code _[i]}, {@code _[j]}. */
  public String marked() {
    if (inlined) {
      return name + "_[i]";
    }
    return switch (kind) {
      case KERNEL -> name + "_[k]";
      case JIT -> name + "_[j]";
      default -> name;
    };
  }
}
