package dev.plumb.server.api;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.util.List;

/**
 * Adds to a merged profile how many samples its values are made of, where each stands for the same:
 * shares are then shown with their samples, and differences with what chance may make of them.
 */
final class Counted {
  private Counted() {}

  static Profile of(Profile profile) {
    ValueType value = profile.types().get(profile.mainType());
    if (profile.countType().isPresent()
        || profile.period() <= 0
        || !profile.periodType().unit().equals(value.unit())) {
      return profile;
    }
    Profile.Builder builder =
        new Profile.Builder(
            profile.mode(),
            profile.name(),
            List.of(new ValueType("samples", "count"), value),
            1,
            profile.periodType(),
            profile.period());
    for (int row = 0; row < profile.rows(); row++) {
      long amount = profile.value(row, profile.mainType());
      int copy =
          builder.row(
              profile.stack(row),
              builder.thread(profile.thread(row)),
              builder.labels(profile.labels(row)));
      builder.add(copy, 0, Math.round((double) amount / profile.period()));
      builder.add(copy, 1, amount);
    }
    return builder.build(profile.stacks(), Timeline.EMPTY, profile.quality());
  }
}
