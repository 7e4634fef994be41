package dev.plumb.push;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Encodes a recording for Pyroscope's {@code push.v1.PusherService/Push}: one request per service
 * and mode, each with one gzipped pprof profile.
 */
final class PyroscopeEncoder implements RequestEncoder {
  /**
   * The limit for an unpacked profile: half of the default burst of Pyroscope's rate limit (2 MB).
   * Pyroscope would never take a profile larger than its burst.
   */
  static final int MAX_PROFILE_BYTES = 1 << 20;

  @Override
  public List<PushBatch> batches(Recording recording, PushLabels labelling) {
    List<PushBatch> batches = new ArrayList<>();
    for (Profile profile : recording.profiles()) {
      for (ServiceProfile part : ServiceProfile.split(profile, labelling)) {
        add(part, recording, batches);
      }
    }
    return batches;
  }

  private static void add(ServiceProfile part, Recording recording, List<PushBatch> batches) {
    byte[] raw = PyroscopePush.pprof(part.profile(), recording);
    if (part.profile().rows() > 1 && PyroscopePush.unpackedSize(raw) > MAX_PROFILE_BYTES) {
      part.halves().forEach(half -> add(half, recording, batches));
      return;
    }
    long samples = part.profile().countType().stream().mapToLong(part.profile()::total).sum();
    batches.add(
        new PyroscopePush(
                part.labels().with("__name__", part.profile().name()),
                raw,
                UUID.randomUUID().toString(),
                samples)
            .batch());
  }
}
