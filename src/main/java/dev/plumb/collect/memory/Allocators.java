package dev.plumb.collect.memory;

import dev.plumb.collect.code.CommandFiles;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The allocators that processes have mapped. Each file is examined once. Files with other names
 * than those of known allocators are examined only if they are the program itself, which may be
 * statically linked.
 */
public final class Allocators {
  private static final Pattern LIBRARY =
      Pattern.compile(
          "(libc|libc-\\d.*|libc\\.musl.*|ld-musl.*|lib(je|tc|mi|hard|snm|rp)malloc.*)\\.so.*");
  private static final Pattern LINKED = Pattern.compile(".*\\.so(\\..*)?");
  private static final int MOST_FILES = 256;

  /** Another one's name, or a part of it; empty for none. */
  private final String other;

  /** By device and inode. */
  private final Map<String, Optional<Allocator>> known = new HashMap<>();

  /**
   * @param other another library that has an allocator: a part of its name, or its path; empty for
   *     none
   */
  public Allocators(String other) {
    this.other = other.substring(other.lastIndexOf('/') + 1);
  }

  /** The allocators that a command will have when it starts, judged by our own environment. */
  public List<Allocator> ofCommand(List<String> command) {
    List<Allocator> found = new ArrayList<>();
    for (Path file : CommandFiles.of(command, System.getenv())) {
      // Programs may contain one; libraries with other names seldom do, and there are many of
      // these.
      if (isLibrary(file.toString()) || !LINKED.matcher(name(file.toString())).matches()) {
        Allocator.in(file).ifPresent(found::add);
      }
    }
    return found;
  }

  /** The allocators of a process; empty if it has ended or may not be read. */
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

  /** The allocators of all processes. */
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
    String name = name(path);
    return LIBRARY.matcher(name).matches() || !other.isEmpty() && name.contains(other);
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
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
