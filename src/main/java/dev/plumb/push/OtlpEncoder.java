package dev.plumb.push;

import dev.plumb.export.otlp.OtlpRequest;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.util.ArrayList;
import java.util.List;

/** Encodes a recording for an OpenTelemetry receiver over HTTP, with one resource per service. */
final class OtlpEncoder implements RequestEncoder {
  private static final String PATH = "/v1development/profiles";

  /** Receivers take 4 MB by default. The last service that is added may take as much again. */
  private static final int BATCH_BYTES = 1 << 20;

  @Override
  public List<PushBatch> batches(Recording recording, PushLabels labelling) {
    List<PushBatch> batches = new ArrayList<>();
    OtlpRequest request = new OtlpRequest();
    long samples = 0;
    for (Profile profile : recording.profiles()) {
      for (ServiceProfile part : ServiceProfile.split(profile, labelling)) {
        request.add(
            part.labels(), part.profile(), recording.startNanos(), recording.durationNanos());
        samples += part.profile().countType().stream().mapToLong(part.profile()::total).sum();
        if (request.size() > BATCH_BYTES) {
          batches.add(batch(request, samples));
          request = new OtlpRequest();
          samples = 0;
        }
      }
    }
    if (!request.isEmpty()) {
      batches.add(batch(request, samples));
    }
    return batches;
  }

  private static PushBatch batch(OtlpRequest request, long samples) {
    return new PushBatch(PATH, "application/x-protobuf", samples, request.toBytes());
  }
}
