package dev.plumb.process;

import java.util.Optional;

/** A range of a process's address space, [start, end), and the file behind it. */
public record Mapping(long start, long end, long fileOffset, BackingFile file) {
  public boolean contains(long processAddress) {
    return Long.compareUnsigned(processAddress, start) >= 0
        && Long.compareUnsigned(processAddress, end) < 0;
  }

  public boolean overlaps(Mapping other) {
    return contains(other.start) || other.contains(start);
  }

  /** The part below an address; empty if there is none. */
  Optional<Mapping> before(long address) {
    return address <= start
        ? Optional.empty()
        : Optional.of(new Mapping(start, Math.min(end, address), fileOffset, file));
  }

  /** The part from an address on; empty if there is none. */
  Optional<Mapping> from(long address) {
    return address >= end
        ? Optional.empty()
        : Optional.of(
            new Mapping(
                Math.max(start, address), end, fileOffsetOf(Math.max(start, address)), file));
  }

  /** Where in the file an address lies. */
  public long fileOffsetOf(long processAddress) {
    return processAddress - start + fileOffset;
  }
}
