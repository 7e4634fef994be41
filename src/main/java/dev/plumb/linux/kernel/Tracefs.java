package dev.plumb.linux.kernel;

import dev.plumb.linux.Fd;
import dev.plumb.linux.NamespaceCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kernel's tracing file system, which has the numbers and formats of tracepoints.
 *
 * <p>If it is not mounted, this makes a detached mount of its own (fsopen, fsmount; Linux 5.2), so
 * that reading does not change the machine; {@link #close} removes it.
 */
public final class Tracefs implements AutoCloseable {
  private static final List<Path> USUAL_PLACES =
      List.of(Path.of("/sys/kernel/tracing"), Path.of("/sys/kernel/debug/tracing"));

  private final Path root;
  private final Optional<Fd> mount;

  private Tracefs(Path root, Optional<Fd> mount) {
    this.root = root;
    this.mount = mount;
  }

  public static Tracefs open() {
    for (Path place : USUAL_PLACES) {
      if (Files.isDirectory(place.resolve("events"))) {
        return new Tracefs(place, Optional.empty());
      }
    }
    Fd mount = NamespaceCalls.detachedMount("tracefs");
    return new Tracefs(Path.of("/proc/self/fd/" + mount.number()), Optional.of(mount));
  }

  /** The folder; it can be read by its path as long as this is open. */
  public Path root() {
    return root;
  }

  /** The number of a tracepoint, for {@code PerfEventAttr#tracepoint}; empty if there is none. */
  public Optional<Integer> eventId(String category, String name) {
    Path id = root.resolve("events").resolve(category).resolve(name).resolve("id");
    try {
      return Optional.of(Integer.parseInt(Files.readString(id).strip()));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The kernel's description of a tracepoint's record; empty if there is none. */
  public Optional<String> format(String category, String name) {
    Path format = root.resolve("events").resolve(category).resolve(name).resolve("format");
    try {
      return Optional.of(Files.readString(format));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The groups of tracepoints: sched, syscalls, …, sorted. */
  public List<String> categories() {
    return folders(root.resolve("events"));
  }

  /** The tracepoints of a group, sorted. */
  public List<String> events(String category) {
    return folders(root.resolve("events").resolve(category));
  }

  private static List<String> folders(Path parent) {
    try (Stream<Path> children = Files.list(parent)) {
      return children
          .filter(Files::isDirectory)
          .map(child -> child.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public void close() {
    mount.ifPresent(Fd::close);
  }
}
