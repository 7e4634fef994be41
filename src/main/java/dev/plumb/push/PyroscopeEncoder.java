package dev.plumb.push;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A recording as requests to Pyroscope's {@code push.v1.PusherService/Push}: a gzipped pprof for
 * each service and mode, each in a request of its own.
 */
final class PyroscopeEncoder implements RequestEncoder {
  /**
   * What a profile may have, unpacked: half of what Pyroscope takes at once (its burst is 2 MB by
   * default). It would never take a profile that is larger than that.
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
