package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.pprof.Pprof;
import dev.plumb.export.pprof.PprofReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.server.http.BodyMemoryBudget;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.http.RequestBody;
import dev.plumb.server.http.ServerCounters;
import dev.plumb.server.pyroscope.wire.PyroscopeFields;
import dev.plumb.store.Sink;
import dev.plumb.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Takes what clients push: checks it, makes a recording from it and hands that to the store. A
 * client gets its answer when the store has committed the profile, so an acknowledged profile
 * survives a crash.
 */
public final class ProfileIntake {
  private static final int LONGEST_WAIT_SECONDS = 5;

  private final Sink sink;
  private final IngestLimits limits;
  private final ServerCounters counters;

  /** How many KB profiles may take while they are read: a third of the heap. */
  private final Semaphore memory;

  private final int allMemory;

  private final SeenProfiles seen = new SeenProfiles(System::nanoTime);

  /** push.v1.RawSample. */
  private record RawSample(byte[] bytes, String id) {}

  public ProfileIntake(Sink sink, IngestLimits limits, ServerCounters counters) {
    this.sink = sink;
    this.limits = limits;
    this.counters = counters;
    this.allMemory = (int) Math.min(1 << 20, Runtime.getRuntime().maxMemory() / 3 >> 10);
    this.memory = new Semaphore(allMemory, true);
  }

  public IngestLimits limits() {
    return limits;
  }

  /** push.v1.PusherService/Push. */
  public byte[] push(byte[] request) {
    Optional<Refusal> first = Optional.empty();
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      if (in.field() == PyroscopeFields.PUSH_SERIES) {
        Optional<Refusal> refusal = series(in.message());
        first = first.isPresent() ? first : refusal;
      }
    }
    if (first.isPresent()) {
      throw first.get();
    }
    return new byte[0];
  }

  /** Stores the valid profiles of a series; returns the first error. */
  private Optional<Refusal> series(ProtoIn in) {
    SeriesLabels series = new SeriesLabels();
    List<RawSample> profiles = new ArrayList<>();
    Optional<Refusal> first = Optional.empty();
    try {
      while (in.next()) {
        switch (in.field()) {
          case PyroscopeFields.RAW_SERIES_LABEL -> label(in.message(), series);
          case PyroscopeFields.RAW_SERIES_SAMPLE -> sample(in.message()).ifPresent(profiles::add);
          default -> {}
        }
      }
    } catch (Refusal e) {
      counters.rejected("invalid_labels");
      return Optional.of(e);
    }
    for (RawSample profile : profiles) {
      long before = BodyMemoryBudget.held();
      try {
        once(series, profile.id(), () -> pprof("push", series, unpack(profile.bytes(), series)));
      } catch (Refusal e) {
        first = first.isPresent() ? first : Optional.of(e);
      } finally {
        BodyMemoryBudget.backTo(before);
      }
    }
    return first;
  }

  private static void label(ProtoIn in, SeriesLabels series) {
    String name = "";
    String value = "";
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.LABEL_NAME -> name = in.string();
        case PyroscopeFields.LABEL_VALUE -> value = in.string();
        default -> {}
      }
    }
    series.add(name, value);
  }

  private static Optional<RawSample> sample(ProtoIn in) {
    Optional<byte[]> profile = Optional.empty();
    String id = "";
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.RAW_SAMPLE_PROFILE -> {
          BodyMemoryBudget.take(in.length());
          profile = Optional.of(in.content());
        }
        case PyroscopeFields.RAW_SAMPLE_ID -> id = in.string();
        default -> {}
      }
    }
    String known = id;
    return profile.map(bytes -> new RawSample(bytes, known));
  }

  /** Takes a profile unless one with that id was taken before. */
  public void once(SeriesLabels series, String id, Runnable take) {
    if (!seen.once(series, id, take)) {
      counters.rejected("duplicate");
    }
  }

  /** Unpacks a profile if it is gzipped. */
  byte[] unpack(byte[] bytes, SeriesLabels series) {
    byte[] plain;
    try {
      plain = RequestBody.isGzip(bytes) ? RequestBody.gunzip(bytes, limits.maxBytes() + 1) : bytes;
    } catch (Refusal e) {
      counters.rejected(
          e.code() == ErrorCode.TOO_LARGE ? "profile_size_limit" : "malformed_profile");
      throw e.code() == ErrorCode.TOO_LARGE ? tooLarge(series, limits.maxBytes() + 1L) : e;
    }
    if (plain.length > limits.maxBytes()) {
      counters.rejected("profile_size_limit");
      throw tooLarge(series, plain.length);
    }
    return plain;
  }

  private Refusal tooLarge(SeriesLabels series, long actual) {
    return Refusal.invalid(
        "the profile with labels '%s' exceeds the size limit (max_profile_size_byte, actual: %d,"
            + " limit: %d)",
        series, actual, limits.maxBytes());
  }

  /** Takes a pprof profile, already unpacked. */
  void pprof(String format, SeriesLabels series, byte[] plain) {
    Labels labels = labels(series);
    long cost = checkedCost(series, plain);
    PprofReader.Origin origin =
        new PprofReader.Origin(
            series.name(), limits.maxSamples(), limits.maxDepth(), limits.maxStackNodes());
    reading(
        cost,
        () -> take(format, series, labels, plain.length, () -> PprofReader.pushed(plain, origin)));
  }

  /** The memory that reading will take, counted before any object is made. */
  private long checkedCost(SeriesLabels series, byte[] plain) {
    int samples = 0;
    long cost;
    try {
      ProtoIn in = new ProtoIn(plain);
      while (in.next()) {
        samples += in.field() == Pprof.SAMPLE ? 1 : 0;
      }
      cost = ParsingMemory.ofPprof(plain, limits);
    } catch (FormatException e) {
      counters.rejected("malformed_profile");
      throw Refusal.invalid("the profile with labels '%s': %s", series, e.getMessage());
    }
    if (samples > limits.maxSamples()) {
      counters.rejected("samples_limit");
      throw Refusal.invalid(
          "the profile with labels '%s' exceeds the samples count limit"
              + " (max_profile_stacktrace_samples, actual: %d, limit: %d)",
          series, samples, limits.maxSamples());
    }
    return cost;
  }

  public Labels labels(SeriesLabels series) {
    try {
      return series.checked(limits);
    } catch (Refusal e) {
      counters.rejected("invalid_labels");
      throw e;
    }
  }

  /** Runs work that takes this much memory, once it is available. */
  public void reading(long costBytes, Runnable work) {
    long kilobytes = Math.max(1, costBytes >> 10);
    if (kilobytes > allMemory) {
      counters.rejected("profile_size_limit");
      throw new Refusal(
          ErrorCode.TOO_LARGE,
          "reading this takes up to %d MB, and there are %d MB for it: send smaller profiles, more"
                  .formatted(kilobytes >> 10, allMemory >> 10)
              + " often");
    }
    acquire((int) kilobytes);
    try {
      work.run();
    } finally {
      memory.release((int) kilobytes);
    }
  }

  /** Reads a recording and adds it; see {@link #reading}. */
  public void take(
      String format, SeriesLabels series, Labels labels, int bytes, Supplier<Recording> reader) {
    try (Recording recording = dated(reader.get())) {
      checkTime(series, recording);
      sink.addCommitted(recording, labels);
      counters.ingested(format, bytes);
    } catch (FormatException e) {
      counters.rejected("malformed_profile");
      throw Refusal.invalid("the profile with labels '%s': %s", series, e.getMessage());
    } catch (StoreException e) {
      counters.rejected("store");
      throw new Refusal(ErrorCode.UNAVAILABLE, e.getMessage());
    }
  }

  private void acquire(int share) {
    boolean there = false;
    try {
      there = memory.tryAcquire(share, LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!there) {
      counters.rejected("rate_limited");
      throw new Refusal(
          ErrorCode.UNAVAILABLE, "too many profiles at once: send them again in a moment");
    }
  }

  /** A profile without a timestamp was recorded now. */
  private static Recording dated(Recording recording) {
    if (recording.startNanos() > 0) {
      return recording;
    }
    long now = System.currentTimeMillis() * 1_000_000;
    return new Recording(now, recording.durationNanos(), recording.profiles(), recording.facts());
  }

  private void checkTime(SeriesLabels series, Recording recording) {
    long now = System.currentTimeMillis() * 1_000_000;
    long time = recording.startNanos();
    long oldest = now - nanos(limits.maxAge());
    long newest = now + nanos(limits.maxAhead());
    if (time < oldest || time > newest) {
      counters.rejected("not_in_ingestion_window");
      throw Refusal.invalid(
          "profile with labels '%s' is outside of ingestion window (profile timestamp: %s, the"
              + " ingestion window starts at %s and ends at %s): is a clock wrong?",
          series, shown(time), shown(oldest), shown(newest));
    }
  }

  private static long nanos(java.time.Duration duration) {
    return Math.min(duration.toSeconds(), Long.MAX_VALUE / 4_000_000_000L) * 1_000_000_000L;
  }

  private static String shown(long nanos) {
    return Instant.ofEpochMilli(Math.floorDiv(nanos, 1_000_000)).toString();
  }
}
