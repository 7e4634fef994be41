package dev.plumb.push;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.pprof.PprofReader;
import dev.plumb.export.pprof.PprofWriter;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/**
 * One profile as a request to Pyroscope, and the splitting of such requests.
 *
 * <pre>
 * PushRequest { series=1 { labels=1 { name=1, value=2 }, samples=2 { raw_profile=1, ID=2 } } }
 * </pre>
 *
 * <p>A request contains one profile, because a receiver may take some profiles of a request and
 * refuse others without saying which.
 *
 * @param raw gzipped pprof
 * @param id lets a receiver recognise a profile that it already has
 */
record PyroscopePush(Labels labels, byte[] raw, String id, long samples) {
  static final String PATH = "/push.v1.PusherService/Push";

  private static final String TYPE = "application/proto";
  private static final int SERIES = 1;
  private static final int LABELS = 1;
  private static final int SAMPLES = 2;
  private static final int NAME = 1;
  private static final int VALUE = 2;
  private static final int RAW_PROFILE = 1;
  private static final int ID = 2;
  private static final int MAX_DEPTH = 1024;

  PushBatch batch() {
    ProtoOut series = new ProtoOut();
    labels
        .values()
        .forEach(
            (name, value) ->
                series.message(LABELS, new ProtoOut().element(NAME, name).element(VALUE, value)));
    series.message(SAMPLES, new ProtoOut().bytes(RAW_PROFILE, raw).element(ID, id));
    return new PushBatch(PATH, TYPE, samples, new ProtoOut().message(SERIES, series).toBytes());
  }

  /** The profiles of a request; none if it is not a request to Pyroscope. */
  static List<PyroscopePush> profiles(PushBatch batch) {
    List<PyroscopePush> profiles = new ArrayList<>();
    if (!batch.path().equals(PATH)) {
      return profiles;
    }
    try {
      ProtoIn request = new ProtoIn(batch.body());
      while (request.next()) {
        if (request.field() == SERIES) {
          series(request.message(), profiles);
        }
      }
    } catch (FormatException e) {
      return List.of();
    }
    long each = batch.samples() / Math.max(1, profiles.size());
    List<PyroscopePush> counted = new ArrayList<>();
    for (PyroscopePush one : profiles) {
      long rest = counted.isEmpty() ? batch.samples() - each * profiles.size() : 0;
      counted.add(new PyroscopePush(one.labels, one.raw, one.id, each + rest));
    }
    return counted;
  }

  private static void series(ProtoIn in, List<PyroscopePush> to) {
    Map<String, String> labels = new TreeMap<>();
    List<PyroscopePush> found = new ArrayList<>();
    while (in.next()) {
      if (in.field() == LABELS) {
        label(in.message(), labels);
      } else if (in.field() == SAMPLES) {
        found.add(sample(in.message()));
      }
    }
    for (PyroscopePush one : found) {
      to.add(new PyroscopePush(new Labels(new TreeMap<>(labels)), one.raw, one.id, 0));
    }
  }

  private static void label(ProtoIn in, Map<String, String> labels) {
    String name = "";
    String value = "";
    while (in.next()) {
      switch (in.field()) {
        case NAME -> name = in.string();
        case VALUE -> value = in.string();
        default -> {}
      }
    }
    labels.put(name, value);
  }

  private static PyroscopePush sample(ProtoIn in) {
    byte[] raw = {};
    String id = "";
    while (in.next()) {
      switch (in.field()) {
        case RAW_PROFILE -> raw = in.content();
        case ID -> id = in.string();
        default -> {}
      }
    }
    return new PyroscopePush(Labels.NONE, raw, id, 0);
  }

  /** The size that a receiver's limits count. */
  long unpackedBytes() {
    return unpackedSize(raw);
  }

  /** A gzip file contains its unpacked size, modulo 4 GiB, in its last four bytes. */
  static long unpackedSize(byte[] gzipped) {
    int at = gzipped.length - 4;
    return at < 0
        ? 0
        : (gzipped[at] & 0xffL)
            | (gzipped[at + 1] & 0xffL) << 8
            | (gzipped[at + 2] & 0xffL) << 16
            | (gzipped[at + 3] & 0xffL) << 24;
  }

  /** The same samples in two profiles; empty if there is only one row. */
  List<PyroscopePush> halves() {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(raw));
        Recording recording =
            PprofReader.pushed(
                in.readAllBytes(),
                new PprofReader.Origin(
                    labels.values().getOrDefault("__name__", "profile"),
                    Integer.MAX_VALUE,
                    MAX_DEPTH,
                    Integer.MAX_VALUE))) {
      Profile profile = recording.main();
      if (recording.profiles().size() > 1 || profile.rows() < 2) {
        return List.of();
      }
      List<PyroscopePush> halves = new ArrayList<>();
      for (ServiceProfile half : new ServiceProfile(labels, profile).halves()) {
        long part = halves.isEmpty() ? samples / 2 : samples - samples / 2;
        byte[] packed = pprof(half.profile(), recording);
        halves.add(new PyroscopePush(labels, packed, id + "-" + (halves.size() + 1), part));
      }
      return halves;
    } catch (IOException | FormatException e) {
      return List.of();
    }
  }

  static byte[] pprof(Profile profile, Recording of) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      new PprofWriter()
          .write(
              new Recording(of.startNanos(), of.durationNanos(), List.of(profile), Map.of()),
              out,
              WriteOptions.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
