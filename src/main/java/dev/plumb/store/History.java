package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * What can be asked of profiles over time. All of it may be called from any thread, and sees
 * whatever was added before the call.
 *
 * <p>A label of every series is one of {@code service_name}, {@code comm}, {@code pid}, {@code
 * thread}, {@code container}, {@code cgroup}, {@code host}, what the profile itself sets rows apart
 * by (such as {@code reason}), or one that the user or a pushing client gave.
 */
public interface History {
  /** From the oldest to the newest that there is. */
  Optional<TimeRange> span();

  List<ProfileType> types(TimeRange range);

  SortedSet<String> labelNames(Selector selector, TimeRange range);

  SortedSet<String> labelValues(String name, Selector selector, TimeRange range);

  /** The distinct label sets, cut down to the labels of these names; to all if there are none. */
  List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range);

  /**
   * Sums over time, the largest first, those beyond the limit as one without labels; 0 is no limit.
   */
  List<Series> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit);

  /**
   * Everything that was selected as one profile with one value type, without times. Its threads
   * stand for series: without a pid where only sums are left, without a name where a client pushed
   * none.
   */
  Profile merged(Selection selection);

  /**
   * The single samples, with their times, as they were recorded.
   *
   * @throws StoreException if there are more than {@code limit}
   */
  Recording samples(Selection selection, long limit);

  Heatmap heatmap(Selection selection, int columns, int rows);

  /** The largest first. */
  List<ProcessSummary> processes(Selection selection, int limit);

  /** How good the recordings of this range and type's mode were. */
  Quality quality(ProfileType type, TimeRange range);
}
