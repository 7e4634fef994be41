package dev.plumb.collect.code;

import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds programs and libraries by path, file name, or short name: {@code c}, {@code libc} and
 * {@code libc.so.6} are the same.
 */
public final class Libraries {
  /** Where the dynamic linker looks by default. */
  private static final List<String> USUAL_FOLDERS =
      List.of(
          "/lib/x86_64-linux-gnu",
          "/usr/lib/x86_64-linux-gnu",
          "/lib/aarch64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/lib64",
          "/usr/lib64",
          "/lib",
          "/usr/lib",
          "/usr/local/lib");

  private static final int MOST_FILES = 64;

  private Libraries() {}

  /**
   * The files that a name stands for.
   *
   * @param pids of the processes in question: what they have mapped; none for the whole system
   */
  public static List<Library> find(String name, List<Integer> pids) {
    return pids.isEmpty() ? List.of(onSystem(name)) : mapped(name, pids);
  }

  private static List<Library> mapped(String name, List<Integer> pids) {
    // By device and inode: containers may share a file, or have different files at equal paths.
    Map<String, Library> found = new LinkedHashMap<>();
    Set<String> all = new TreeSet<>();
    String wanted = name.indexOf('/') < 0 ? name : real(Path.of(name)).toString();
    try (ProcReader reader = new ProcReader()) {
      for (int pid : pids) {
        ProcMaps.forEach(
            reader,
            pid,
            line -> {
              if (!line.executable() || !line.pathStartsWith("/") || found.size() >= MOST_FILES) {
                return;
              }
              String path = line.path();
              all.add(Path.of(path).getFileName().toString());
              if (isNamed(path, wanted) || isNamed(path, name)) {
                String identity =
                    line.deviceMajor() + ":" + line.deviceMinor() + ":" + line.inode();
                String range = Long.toHexString(line.start()) + "-" + Long.toHexString(line.end());
                found.putIfAbsent(identity, new Library(readable(pid, path, range), path));
              }
            });
      }
    }
    if (found.isEmpty()) {
      throw new ProbeException(
          "%s mapped '%s'; there are %s%s"
              .formatted(
                  pids.size() == 1
                      ? "process " + pids.getFirst() + " has not"
                      : "none of the processes has",
                  name,
                  String.join(", ", all),
                  NameSuggestions.hint(name, all)));
    }
    return List.copyOf(found.values());
  }

  /** A file that was replaced or deleted can still be reached as long as it is mapped. */
  private static Path readable(int pid, String path, String range) {
    Path inItsRoot = Path.of("/proc/" + pid + "/root" + path);
    return Files.isRegularFile(inItsRoot)
        ? inItsRoot
        : Path.of("/proc/" + pid + "/map_files/" + range);
  }

  /** Whether a path is meant by a name; {@code libssl.so.3} also means {@code libssl.so.3.0.1}. */
  static boolean isNamed(String path, String name) {
    if (name.indexOf('/') >= 0) {
      return path.equals(name);
    }
    String file = path.substring(path.lastIndexOf('/') + 1);
    return file.equals(name)
        || name.contains(".so") && file.startsWith(name + ".")
        || file.startsWith(name + ".so")
        || file.startsWith("lib" + name + ".so");
  }

  /** A library of exactly this file name where the dynamic linker looks by itself. */
  public static Optional<Path> inUsualFolders(String fileName) {
    return folders().stream().map(f -> f.resolve(fileName)).filter(Libraries::isElf).findFirst();
  }

  private static Library onSystem(String name) {
    if (name.indexOf('/') >= 0) {
      Path path = Path.of(name);
      if (!Files.isRegularFile(path)) {
        throw new ProbeException(name + ": no such file");
      }
      return new Library(real(path), name);
    }
    Optional<Path> found = inFolders(folders(), name);
    if (found.isEmpty()) {
      found = inPath(name);
    }
    if (found.isEmpty()) {
      found = ofAnyProcess(name);
    }
    Path path =
        found.orElseThrow(
            () ->
                new ProbeException(
                    "no library or program '%s' where libraries usually are; write its path, or -p PID for what a process has mapped%s"
                        .formatted(name, NameSuggestions.hint(name, fileNames()))));
    return new Library(path, path.toString());
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath().normalize();
    }
  }

  private static Optional<Path> inFolders(Set<Path> folders, String name) {
    for (Path folder : folders) {
      try (Stream<Path> files = Files.list(folder)) {
        Optional<Path> found =
            files
                .filter(file -> isNamed(file.toString(), name) && isElf(file))
                .min(
                    (a, b) ->
                        a.toString().length() != b.toString().length()
                            ? a.toString().length() - b.toString().length()
                            : a.compareTo(b));
        if (found.isPresent()) {
          return found.map(Libraries::real);
        }
      } catch (IOException e) {
        // not there, or not ours to read
      }
    }
    return Optional.empty();
  }

  /** {@code libc.so} may be a linker script. */
  private static boolean isElf(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (var in = Files.newInputStream(file)) {
      byte[] start = in.readNBytes(4);
      return start.length == 4 && start[0] == 0x7f && start[1] == 'E';
    } catch (IOException e) {
      return false;
    }
  }

  private static Optional<Path> inPath(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":")) {
      Path file = Path.of(folder.isEmpty() ? "." : folder, name);
      if (isElf(file)) {
        return Optional.of(real(file));
      }
    }
    return Optional.empty();
  }

  /** Libraries of a JVM or an application of its own are in no usual folder. */
  private static Optional<Path> ofAnyProcess(String name) {
    try (ProcReader reader = new ProcReader()) {
      List<Integer> pids = new ArrayList<>();
      for (int pid : ProcList.pids(reader)) {
        pids.add(pid);
      }
      return Optional.of(mapped(name, pids).getFirst().path());
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** The folders in {@code /etc/ld.so.conf.d}, then the usual ones. */
  private static Set<Path> folders() {
    Set<Path> folders = new LinkedHashSet<>();
    try (Stream<Path> files = Files.list(Path.of("/etc/ld.so.conf.d"))) {
      for (Path file : files.sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          if (line.startsWith("/")) {
            folders.add(Path.of(line.strip()));
          }
        }
      }
    } catch (IOException e) {
      // the usual ones then
    }
    USUAL_FOLDERS.forEach(folder -> folders.add(Path.of(folder)));
    return folders;
  }

  private static List<String> fileNames() {
    List<String> names = new ArrayList<>();
    for (Path folder : folders()) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .map(f -> f.getFileName().toString())
            .filter(f -> f.contains(".so"))
            .forEach(names::add);
      } catch (IOException e) {
        // not there
      }
    }
    return names;
  }
}
