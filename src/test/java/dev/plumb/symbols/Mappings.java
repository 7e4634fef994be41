package dev.plumb.symbols;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The mappings of a live process, or of a file as if it were mapped whole. */
final class Mappings implements AutoCloseable {
  private final List<Mapping> all = new ArrayList<>();
  private final Map<String, BackingFile> files = new HashMap<>();

  static Mappings of(int pid) {
    Mappings mappings = new Mappings();
    try (ProcReader reader = new ProcReader()) {
      ProcMaps.forEach(
          reader,
          pid,
          m ->
              mappings.all.add(
                  new Mapping(
                      m.start(), m.end(), m.fileOffset(), mappings.file(m.path(), m.inode()))));
    }
    return mappings;
  }

  /** The file's bytes from 0 on, at 0x7f0000000000. */
  static Mappings ofFile(Path path, long size) {
    Mappings mappings = new Mappings();
    mappings.all.add(
        new Mapping(
            0x7f00_0000_0000L, 0x7f00_0000_0000L + size, 0, mappings.file(path.toString(), 1)));
    return mappings;
  }

  private BackingFile file(String path, long inode) {
    if (path.equals("[vdso]")) {
      return BackingFile.vdso();
    }
    if (inode == 0) {
      return BackingFile.anonymous(path.isEmpty() ? "//anon" : path);
    }
    return files.computeIfAbsent(
        path,
        p -> {
          Fd fd = SystemCalls.open(p, SystemCalls.O_RDONLY);
          return BackingFile.ofOpen(p, fd, SystemCalls.statx(fd));
        });
  }

  Mapping at(long processAddress) {
    return all.stream()
        .filter(m -> m.contains(processAddress))
        .findFirst()
        .orElseThrow(() -> new AssertionError("not mapped: " + Long.toHexString(processAddress)));
  }

  Mapping named(String path) {
    return all.stream()
        .filter(m -> m.file().path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no mapping of " + path));
  }

  Mapping only() {
    return all.getFirst();
  }

  @Override
  public void close() {
    files.values().forEach(BackingFile::close);
  }
}
