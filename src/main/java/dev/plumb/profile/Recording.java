package dev.plumb.profile;

import java.util.List;
import java.util.Map;

/**
 * One run: a profile a mode, over the same time on the same host.
 *
 * @param startNanos wall clock
 * @param facts what a reader may want to know of the run: {@code host}, {@code kernel}, {@code
 *     command}, {@code target}, …
 */
public record Recording(
    long startNanos, long durationNanos, List<Profile> profiles, Map<String, String> facts)
    implements AutoCloseable {
  public Recording {
    profiles = List.copyOf(profiles);
    facts = Map.copyOf(facts);
  }

  /** The profile that views show first. */
  public Profile main() {
    return profiles.getFirst();
  }

  /** Gives back what timelines hold outside the heap. */
  @Override
  public void close() {
    profiles.forEach(profile -> profile.timeline().close());
  }
}
