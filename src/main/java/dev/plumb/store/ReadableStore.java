package dev.plumb.store;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import java.util.List;
import java.util.Optional;

/** What commands ask of a store, be it theirs or that of a process which has it open. */
public interface ReadableStore extends AutoCloseable {
  /** See {@link History}. */
  Optional<TimeRange> span();

  /** See {@link History}. */
  List<ProfileType> types(TimeRange range);

  /** The type that is shown first of a mode such as {@code cpu}. */
  Optional<ProfileType> mainType(String mode);

  /** See {@link History}. */
  List<TimeSeries> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit);

  /** See {@link History}. */
  Profile merged(Selection selection);

  /** See {@link History}. */
  Recording samples(Selection selection, long limit);

  /**
   * Runs a query of people's own, a single SELECT; {@code docs/sql.md} tells which views there are.
   */
  void sql(String query, SqlTable table);

  @Override
  void close();
}
