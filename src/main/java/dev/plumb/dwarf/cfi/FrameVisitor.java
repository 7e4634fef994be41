package dev.plumb.dwarf.cfi;

/** Takes the functions of a file in file order, each with its rows. */
public interface FrameVisitor {
  /** A function begins; returns whether its rows are wanted. */
  boolean function(long elfStart, long elfEnd);

  /** The next row, by ascending address, without gaps; the object is valid only during the call. */
  void row(FrameRow row);

  /**
   * The rows of the function have ended.
   *
   * @param whole false if its description is incomplete or cannot be parsed
   */
  void end(boolean whole);
}
