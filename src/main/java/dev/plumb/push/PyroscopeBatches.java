package dev.plumb.push;

import dev.plumb.export.PprofWriter;
import dev.plumb.export.ProtoOut;
import dev.plumb.export.WriteOptions;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A recording as requests to Pyroscope's {@code push.v1.PusherService/Push}: gzipped pprof, a
 * series for each service.
 *
 * <pre>
 * PushRequest { series=1 { labels=1 { name=1, value=2 }, samples=2 { raw_profile=1, ID=2 } } }
 * </pre>
 */
final class PyroscopeBatches implements Encoding {
  private static final String PATH = "/push.v1.PusherService/Push";
  private static final int SERIES = 1;
  private static final int LABELS = 1;
  private static final int SAMPLES = 2;
  private static final int NAME = 1;
  private static final int VALUE = 2;
  private static final int RAW_PROFILE = 1;
  private static final int ID = 2;

  /** What receivers take of one profile, unpacked. */
  private static final int MAX_PROFILE_BYTES = 4 << 20;

  /** Small enough to be sent again without regret. */
  private static final int BATCH_BYTES = 1 << 20;

  @Override
  public List<Batch> batches(Recording recording, Labelling labelling) {
    Run run = new Run(recording);
    for (Profile profile : recording.profiles()) {
      ServiceProfile.split(profile, labelling).forEach(run::add);
    }
    return run.end();
  }

  /** One recording. */
  private static final class Run {
    private final Recording recording;
    private final List<Batch> batches = new ArrayList<>();
    private final ProtoOut request = new ProtoOut();
    private long samples;

    Run(Recording recording) {
      this.recording = recording;
    }

    void add(ServiceProfile part) {
      byte[] raw = pprof(part.profile());
      if (part.profile().rows() > 1 && unpackedSize(raw) > MAX_PROFILE_BYTES) {
        part.halves().forEach(this::add);
        return;
      }
      ProtoOut series = new ProtoOut();
      part.labels()
          .with("__name__", part.profile().name())
          .values()
          .forEach((name, value) -> series.message(LABELS, label(name, value)));
      series.message(
          SAMPLES,
          new ProtoOut().bytes(RAW_PROFILE, raw).element(ID, UUID.randomUUID().toString()));
      if (request.size() > 0 && request.size() + series.size() > BATCH_BYTES) {
        flush();
      }
      request.message(SERIES, series);
      samples += part.profile().countType().stream().mapToLong(part.profile()::total).sum();
    }

    private static ProtoOut label(String name, String value) {
      return new ProtoOut().element(NAME, name).element(VALUE, value);
    }

    private byte[] pprof(Profile profile) {
      Recording one =
          new Recording(
              recording.startNanos(), recording.durationNanos(), List.of(profile), Map.of());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try {
        new PprofWriter().write(one, out, WriteOptions.DEFAULT);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return out.toByteArray();
    }

    private void flush() {
      batches.add(new Batch(PATH, "application/proto", samples, request.toBytes()));
      request.clear();
      samples = 0;
    }

    List<Batch> end() {
      if (request.size() > 0) {
        flush();
      }
      return batches;
    }
  }

  private static long unpackedSize(byte[] gzipped) {
    // A gzip holds its size, modulo 4 GiB, in its last four bytes.
    int at = gzipped.length - 4;
    return (gzipped[at] & 0xffL)
        | (gzipped[at + 1] & 0xffL) << 8
        | (gzipped[at + 2] & 0xffL) << 16
        | (gzipped[at + 3] & 0xffL) << 24;
  }
}
