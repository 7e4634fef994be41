package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Reads Java flight recordings, made by the JVM itself or by async-profiler. */
final class JfrReader {
  private static final int MAX_EVENTS = 1_000_000;

  private final IngestLimits limits;
  private final long sampleRate;
  private final Map<String, NamedStacks> profiles = new java.util.LinkedHashMap<>();

  private JfrReader(IngestLimits limits, long sampleRate) {
    this.limits = limits;
    this.sampleRate = sampleRate;
  }

  /** Writes the bytes to a file, because the JDK reads files only. */
  static Recording read(byte[] bytes, IngestService.Window window, IngestLimits limits) {
    Path file;
    try {
      file = Files.createTempFile("plumb-", ".jfr");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      Files.write(file, bytes);
      return new JfrReader(limits, window.sampleRate()).read(file, window);
    } catch (IOException | RuntimeException | VirtualMachineError e) {
      // The JDK's reader reports damage in many ways: InternalError for an invalid type name,
      // OutOfMemoryError for a table that claims to be long.
      throw e instanceof FormatException format
          ? format
          : new FormatException("not a flight recording, or a damaged one (%s)".formatted(e));
    } finally {
      file.toFile().delete();
    }
  }

  private Recording read(Path file, IngestService.Window window) throws IOException {
    int events = 0;
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents() && events++ < MAX_EVENTS) {
        event(recording.readEvent());
      }
    }
    List<Profile> all = new ArrayList<>();
    profiles
        .values()
        .forEach(
            profile ->
                all.addAll(
                    profile.recording(window.startNanos(), window.durationNanos()).profiles()));
    if (all.isEmpty()) {
      throw new FormatException("the flight recording contains no samples of a supported kind");
    }
    return new Recording(window.startNanos(), window.durationNanos(), all, Map.of());
  }

  private void event(RecordedEvent event) {
    RecordedStackTrace trace = event.getStackTrace();
    if (trace == null) {
      return;
    }
    switch (event.getEventType().getName()) {
      case "jdk.ExecutionSample", "jdk.NativeMethodSample" -> add("itimer", trace, 1);
      case "profiler.WallClockSample" -> add("wall", trace, Math.max(1, number(event, "samples")));
      case "jdk.ObjectAllocationInNewTLAB" -> {
        add("alloc_in_new_tlab_objects", trace, 1);
        add("alloc_in_new_tlab_bytes", trace, number(event, "tlabSize"));
      }
      case "jdk.ObjectAllocationOutsideTLAB" -> {
        add("alloc_outside_tlab_objects", trace, 1);
        add("alloc_outside_tlab_bytes", trace, number(event, "allocationSize"));
      }
      case "jdk.ObjectAllocationSample" -> add("alloc_space", trace, number(event, "weight"));
      case "jdk.JavaMonitorEnter", "jdk.ThreadPark" -> {
        add("lock_count", trace, 1);
        add("lock_duration", trace, event.getDuration().toNanos());
      }
      case "profiler.LiveObject" -> add("live", trace, 1);
      default -> {}
    }
  }

  private static long number(RecordedEvent event, String field) {
    return event.hasField(field) ? event.getLong(field) : 0;
  }

  private void add(String kind, RecordedStackTrace trace, long value) {
    if (value <= 0) {
      return;
    }
    NamedStacks profile =
        profiles.computeIfAbsent(
            kind, word -> new NamedStacks(limits, PushedType.of(word), sampleRate));
    List<RecordedFrame> frames = trace.getFrames();
    int[] fromRoot = new int[frames.size()];
    for (int i = 0; i < fromRoot.length; i++) {
      fromRoot[fromRoot.length - 1 - i] = profile.frame(name(frames.get(i)));
    }
    profile.add(fromRoot, fromRoot.length, value);
  }

  private static String name(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    if (method == null) {
      return "[unknown]";
    }
    String type = method.getType() == null ? "" : String.valueOf(method.getType().getName());
    return type.isEmpty() ? method.getName() : type + "." + method.getName();
  }
}
