package dev.plumb.collect.alloc;

import dev.plumb.linux.ProcList;
import dev.plumb.linux.ProcMaps;
import dev.plumb.linux.ProcReader;
import dev.plumb.linux.SyscallException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The allocators that processes have mapped. A file is looked at once; files by other names are
 * looked at only if they are the program itself, which may be linked statically.
 */
public final class Allocators {
  private static final Pattern LIBRARY =
      Pattern.compile(
          "(libc|libc-\\d.*|libc\\.musl.*|ld-musl.*|lib(je|tc|mi)malloc.*|libtcmalloc.*)\\.so.*");
  private static final int MOST_FILES = 256;

  private final Optional<Pattern> other;

  /** By device and inode. */
  private final Map<String, Optional<Allocator>> known = new HashMap<>();

  /**
   * @param other the name of another library that has an allocator; empty for none
   */
  public Allocators(String other) {
    this.other = other.isEmpty() ? Optional.empty() : Optional.of(Pattern.compile(other));
  }

  /** Those of a process; none if it has gone, or may not be looked at. */
  public List<Allocator> of(ProcReader reader, int pid) {
    try {
      return mapped(reader, pid);
    } catch (SyscallException e) {
      return List.of();
    }
  }

  private List<Allocator> mapped(ProcReader reader, int pid) {
    List<Allocator> found = new ArrayList<>();
    String[] program = {""};
    ProcMaps.forEach(
        reader,
        pid,
        line -> {
          if (!line.pathStartsWith("/")) {
            return;
          }
          if (program[0].isEmpty()) {
            program[0] = line.path(); // the first mapping is the program's
          }
          if (line.executable() && (isLibrary(line.path()) || line.path().equals(program[0]))) {
            String identity = line.deviceMajor() + ":" + line.deviceMinor() + ":" + line.inode();
            String range = Long.toHexString(line.start()) + "-" + Long.toHexString(line.end());
            Optional<Allocator> allocator =
                known.computeIfAbsent(identity, x -> look(pid, line.path(), range));
            allocator.filter(a -> !found.contains(a)).ifPresent(found::add);
          }
        });
    return found;
  }

  /** Those of all processes. */
  public List<Allocator> ofAll() {
    List<Allocator> found = new ArrayList<>();
    try (ProcReader reader = new ProcReader()) {
      for (int pid : ProcList.pids(reader)) {
        of(reader, pid).stream().filter(a -> !found.contains(a)).forEach(found::add);
      }
    }
    return found;
  }

  private boolean isLibrary(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return LIBRARY.matcher(name).matches()
        || other.map(pattern -> pattern.matcher(name).find()).orElse(false);
  }

  private Optional<Allocator> look(int pid, String path, String range) {
    if (known.size() >= MOST_FILES) {
      return Optional.empty();
    }
    Path inItsRoot = Path.of("/proc/" + pid + "/root" + path);
    return Allocator.in(
        Files.isRegularFile(inItsRoot)
            ? inItsRoot
            : Path.of("/proc/" + pid + "/map_files/" + range));
  }
}
