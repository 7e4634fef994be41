package dev.plumb.server.pyroscope.ingest;

import dev.plumb.server.http.Refusal;
import java.util.Map;

/**
 * The profile types that clients of {@code /ingest} name by a suffix: {@code app.cpu}, {@code
 * app.alloc_space}.
 *
 * @param timed whether samples stand for time, so that they are counted in nanoseconds
 */
public record PushedType(String name, String type, String unit, boolean timed) {
  private static final Map<String, PushedType> ALL =
      Map.ofEntries(
          Map.entry("cpu", new PushedType("process_cpu", "cpu", "nanoseconds", true)),
          Map.entry("itimer", new PushedType("process_cpu", "cpu", "nanoseconds", true)),
          Map.entry("wall", new PushedType("wall", "wall", "nanoseconds", true)),
          Map.entry("inuse_objects", memory("inuse_objects", "count")),
          Map.entry("inuse_space", memory("inuse_space", "bytes")),
          Map.entry("alloc_objects", memory("alloc_objects", "count")),
          Map.entry("alloc_space", memory("alloc_space", "bytes")),
          Map.entry("alloc_in_new_tlab_objects", memory("alloc_in_new_tlab_objects", "count")),
          Map.entry("alloc_in_new_tlab_bytes", memory("alloc_in_new_tlab_bytes", "bytes")),
          Map.entry("alloc_outside_tlab_objects", memory("alloc_outside_tlab_objects", "count")),
          Map.entry("alloc_outside_tlab_bytes", memory("alloc_outside_tlab_bytes", "bytes")),
          Map.entry("live", memory("live", "count")),
          Map.entry("goroutines", new PushedType("goroutine", "goroutines", "count", false)),
          Map.entry("mutex_count", waits("mutex", "contentions", "count")),
          Map.entry("mutex_duration", waits("mutex", "delay", "nanoseconds")),
          Map.entry("block_count", waits("block", "contentions", "count")),
          Map.entry("block_duration", waits("block", "delay", "nanoseconds")),
          Map.entry("lock_count", waits("block", "contentions", "count")),
          Map.entry("lock_duration", waits("block", "delay", "nanoseconds")),
          Map.entry("exceptions", new PushedType("exceptions", "samples", "count", false)));

  private static PushedType memory(String type, String unit) {
    return new PushedType("memory", type, unit, false);
  }

  private static PushedType waits(String name, String type, String unit) {
    return new PushedType(name, type, unit, false);
  }

  public static PushedType of(String word) {
    PushedType found = ALL.get(word);
    if (found == null) {
      throw Refusal.invalid(
          "unknown profile type: %s; the part after the last dot of 'name' is the type, e.g."
              + " app.cpu",
          word.length() > 100 ? word.substring(0, 100) : word);
    }
    return found;
  }

  /**
   * The name of a pprof profile by one of its value types, as the client's configuration or pprof
   * itself calls it.
   */
  public static String nameOfValue(String type) {
    return switch (type) {
      case "cpu", "samples", "itimer" -> "process_cpu";
      case "goroutine", "goroutines" -> "goroutines";
      default -> ALL.containsKey(type) ? ALL.get(type).name() : type;
    };
  }
}
