package dev.plumb.dwarf.cfi;

/** Takes the functions of a file in the order they stand there, each with its rows. */
public interface FrameVisitor {
  /** A function begins; answers whether its rows are wanted. */
  boolean function(long elfStart, long elfEnd);

  /** The next row, by ascending address, without gaps; the object is good during the call only. */
  void row(FrameRow row);

  /**
   * The rows of the function have ended.
   *
   * @param whole false if its description broke off or cannot be understood
   */
  void end(boolean whole);
}
