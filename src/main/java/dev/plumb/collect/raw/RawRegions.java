package dev.plumb.collect.raw;

import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The memory regions that contained code, numbered. A region of a file is the same for all
 * processes that map it; memory without a file belongs to one process.
 */
public final class RawRegions {
  /** For a region of a file, process and start are 0, because they differ between processes. */
  private record Key(BackingFile file, long fileOffset, int process, long start) {
    // Looked up for each frame; a record's own equals and hashCode are slow if only C1 compiles.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key k
          && file == k.file
          && fileOffset == k.fileOffset
          && process == k.process
          && start == k.start;
    }

    @Override
    public int hashCode() {
      return ((file.hashCode() * 31 + Long.hashCode(fileOffset)) * 31 + process) * 31
          + Long.hashCode(start);
    }
  }

  private record Region(Mapping mapping, int process) {}

  private final Map<Key, Integer> numbers = new HashMap<>();
  private final List<Region> regions = new ArrayList<>();
  private Mapping latest;
  private int latestNumber;

  int of(int process, Mapping mapping) {
    if (mapping == latest) {
      return latestNumber;
    }
    boolean shared = isShared(mapping);
    Key key =
        new Key(
            mapping.file(),
            mapping.fileOffset(),
            shared ? 0 : process,
            shared ? 0 : mapping.start());
    int number =
        numbers.computeIfAbsent(
            key,
            k -> {
              regions.add(new Region(mapping, process));
              return regions.size() - 1;
            });
    latest = mapping;
    latestNumber = number;
    return number;
  }

  /** A vdso in low memory belongs to a 32-bit process; it is not the one that we know. */
  private static boolean isShared(Mapping mapping) {
    return switch (mapping.file().kind()) {
      case FILE -> true;
      case VDSO -> mapping.end() >>> 32 != 0;
      case ANONYMOUS -> false;
    };
  }

  public void addFiles(Set<BackingFile> files) {
    regions.forEach(region -> files.add(region.mapping().file()));
  }

  public int size() {
    return regions.size();
  }

  /** The first process that was seen with it; for memory without a file, the only one. */
  public int process(int region) {
    return regions.get(region).process();
  }

  /** Where it was mapped in the first process that was seen with it. */
  public Mapping mapping(int region) {
    return regions.get(region).mapping();
  }
}
