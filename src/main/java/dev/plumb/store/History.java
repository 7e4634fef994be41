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
 * by (such as {@code reason}), or one that the user or a pushing client gave. Pyroscope's {@code
 * __name__}, {@code __profile_type__}, {@code __type__}, {@code __unit__}, {@code __period_type__}
 * and {@code __period_unit__} can be asked for by name wherever a label can; they are never listed.
 *
 * <p>A recording without times, as clients push them, counts as a whole at its start. Times are
 * exact to the microsecond.
 */
public interface History {
  /** From the oldest to the newest that there is. */
  Optional<TimeRange> span();

  List<ProfileType> types(TimeRange range);

  SortedSet<String> labelNames(Selector selector, TimeRange range);

  SortedSet<String> labelValues(String name, Selector selector, TimeRange range);

  /**
   * The distinct label sets, cut down to the labels of these names. If there are no names, to all
   * but {@code pid}, {@code thread} and what else only single samples have, such as {@code waker}.
   *
   * @param anyOf all series if there are none
   */
  List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range);

  /**
   * Sums over time, the largest first, those beyond the limit as one without labels; 0 is no limit.
   */
  List<TimeSeries> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit);

  /**
   * Everything that was selected as one profile with one value type, without times. Its threads
   * stand for series: with a pid only if the selector asks for a label of single samples, without a
   * name where a client pushed none. Row labels are those of the series that a thread does not say.
   *
   * <p>Where there are more stacks than the question has memory for, the smallest are summed up in
   * frames named {@code (other)}.
   */
  Profile merged(Selection selection);

  /**
   * The same for whoever asks for functions: their frames have no lines of source, and their rows
   * no labels. It takes less memory.
   */
  Profile functions(Selection selection);

  /**
   * As {@link #merged}, with a first type that counts the samples which the values are made of. It
   * is there only where each sample stands for a time, as on the CPU.
   */
  Profile mergedWithCounts(Selection selection);

  /** As {@link #functions}, with the counts of {@link #mergedWithCounts}. */
  Profile functionsWithCounts(Selection selection);

  /**
   * The single samples, with their times, as they were recorded, as far as they are still there;
   * the count stands beside the value where it is a type of its own.
   *
   * @throws StoreException if there are more than {@code limit}
   */
  Recording samples(Selection selection, long limit);

  /**
   * The same for whoever draws them: frames have no lines of source, and stacks of wakers are left
   * out. It takes less memory.
   */
  Recording lanes(Selection selection, long limit);

  Heatmap heatmap(Selection selection, int columns, int rows);

  /** The largest first. */
  List<ProcessSummary> processes(Selection selection, int limit);

  /** How good the recordings of this range and type's mode were. */
  Quality quality(ProfileType type, TimeRange range);
}
