package dev.plumb.dwarf;

/**
 * A function at an address, and the source line there.
 *
 * @param name as in the source, or empty
 * @param linkageName as the linker knows it, still mangled; empty if it has none of its own
 * @param file the path as the compiler wrote it, made absolute with the folder it ran in, or empty
 * @param line from 1; 0 if unknown
 * @param inlined whether the function is part of the next frame's code
 */
public record SourceFrame(String name, String linkageName, String file, int line, boolean inlined) {
  /** The linkage name if there is one, else the name. */
  public String bestName() {
    return linkageName.isEmpty() ? name : linkageName;
  }
}
