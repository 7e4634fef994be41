package dev.plumb.profile;

import java.util.List;
import java.util.Map;

/**
 * One run: one profile per mode, over the same time on the same host.
 *
 * @param startNanos wall clock
 * @param facts about the run: {@code host}, {@code kernel}, {@code command}, {@code target}, …
 */
public record Recording(
    long startNanos, long durationNanos, List<Profile> profiles, Map<String, String> facts)
    implements AutoCloseable {
  public Recording {
    profiles = List.copyOf(profiles);
    facts = Map.copyOf(facts);
  }

  /** The profile that views show by default. */
  public Profile main() {
    return profiles.getFirst();
  }

  /** Frees what timelines hold outside the heap. */
  @Override
  public void close() {
    profiles.forEach(profile -> profile.timeline().close());
  }
}
