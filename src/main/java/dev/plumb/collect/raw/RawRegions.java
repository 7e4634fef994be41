package dev.plumb.collect.raw;

import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The stretches of memory that code lay in, numbered. One that a file backs is the same for all
 * processes that map it; memory without a file is each process's own.
 */
public final class RawRegions {
  /** Of a file's region, neither process nor start: they differ from process to process. */
  private record Key(BackingFile file, long fileOffset, int process, long start) {
    // Looked up for each frame; what a record has by itself is slow where only C1 compiles.
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

  /** A vdso in low memory is the one of 32-bit processes, not ours. */
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

  /** The first process that was seen with it; of memory without a file the only one. */
  public int process(int region) {
    return regions.get(region).process();
  }

  /** Where it was mapped in the first process that was seen with it. */
  public Mapping mapping(int region) {
    return regions.get(region).mapping();
  }
}
