package dev.plumb.process;

/** A range of a process's address space, [start, end), and the file behind it. */
public record Mapping(long start, long end, long fileOffset, BackingFile file) {
  public boolean contains(long processAddress) {
    return Long.compareUnsigned(processAddress, start) >= 0
        && Long.compareUnsigned(processAddress, end) < 0;
  }

  public boolean overlaps(Mapping other) {
    return contains(other.start) || other.contains(start);
  }

  /** Where in the file an address lies. */
  public long fileOffsetOf(long processAddress) {
    return processAddress - start + fileOffset;
  }
}
