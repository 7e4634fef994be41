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
 * Queries on profiles over time. Any thread may call any method; a query sees all that was added
 * before the call.
 *
 * <p>The labels of a series are {@code service_name}, {@code comm}, {@code pid}, {@code thread},
 * {@code container}, {@code cgroup}, {@code host}, those that distinguish rows within a profile
 * (such as {@code reason}), and those that the user or a pushing client set. Pyroscope's {@code
 * __name__}, {@code __profile_type__}, {@code __type__}, {@code __unit__}, {@code __period_type__}
 * and {@code __period_unit__} can be used wherever a label can, but are never listed.
 *
 * <p>A recording without timestamps, as clients push them, counts as a whole at its start. Times
 * are exact to the microsecond.
 */
public interface History {
  /** From the oldest to the newest sample; empty if there are none. */
  Optional<TimeRange> span();

  List<ProfileType> types(TimeRange range);

  SortedSet<String> labelNames(Selector selector, TimeRange range);

  SortedSet<String> labelValues(String name, Selector selector, TimeRange range);

  /**
   * The distinct label sets, reduced to the labels of these names; without names, to all labels
   * except those that only samples have, such as {@code pid}, {@code thread} and {@code waker}.
   *
   * @param anyOf the selectors of which a series must match one; empty for all series
   */
  List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range);

  /**
   * Sums over time, the largest series first. Series beyond the limit are added up in a last one
   * without labels; a limit of 0 is none.
   */
  List<TimeSeries> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit);

  /**
   * The whole selection as one profile with one value type and no timestamps. Its threads stand for
   * series: they have a pid only if the selector has a label that only samples have, and no name if
   * a client pushed none. Row labels are those labels of the series that a thread does not contain.
   *
   * <p>Where there are more stacks than the query has memory for, the smallest are summed up in
   * frames named {@code (other)}.
   */
  Profile merged(Selection selection);

  /** As {@link #merged}, without source lines and row labels; takes less memory. */
  Profile functions(Selection selection);

  /**
   * As {@link #merged}, with a first type that counts the samples behind the values, if each sample
   * stands for a time, as CPU samples do.
   */
  Profile mergedWithCounts(Selection selection);

  /** As {@link #functions}, with the counts of {@link #mergedWithCounts}. */
  Profile functionsWithCounts(Selection selection);

  /**
   * The samples that the store still has, with their timestamps; with the count as a type of its
   * own if the recording had one.
   *
   * @throws StoreException if there are more than {@code limit}
   */
  Recording samples(Selection selection, long limit);

  /** As {@link #samples}, without source lines and wakers' stacks; takes less memory. */
  Recording lanes(Selection selection, long limit);

  Heatmap heatmap(Selection selection, int columns, int rows);

  /** Processes, the largest value first; a limit of 0 is none. */
  List<ProcessSummary> processes(Selection selection, int limit);

  /** The quality of the recordings of this type's mode in this range. */
  Quality quality(ProfileType type, TimeRange range);
}
