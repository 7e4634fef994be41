package dev.plumb.dwarf.cfi;

/**
 * What was read.
 *
 * @param functions whose description was found, including bad ones with a known address
 * @param badEntries descriptions that are damaged or of an unknown kind
 * @param cut whether the structure itself is broken, so that the rest is unknown
 */
public record FrameCounts(long functions, long badEntries, boolean cut) {
  public static final FrameCounts NONE = new FrameCounts(0, 0, false);

  public FrameCounts plus(FrameCounts other) {
    return new FrameCounts(
        functions + other.functions, badEntries + other.badEntries, cut || other.cut);
  }
}
