package dev.plumb.store;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import java.util.List;
import java.util.Optional;

/** What commands query, either in their own process or in the one that has the store open. */
public interface ReadableStore extends AutoCloseable {
  /** See {@link History}. */
  Optional<TimeRange> span();

  /** See {@link History}. */
  List<ProfileType> types(TimeRange range);

  /** The main type of a mode such as {@code cpu}. */
  Optional<ProfileType> mainType(String mode);

  /** See {@link History}. */
  List<TimeSeries> timeline(Selection selection, List<String> groupBy, long stepNanos, int limit);

  /** See {@link History}. */
  Profile merged(Selection selection);

  /** See {@link History}. */
  Recording samples(Selection selection, long limit);

  /** Runs a user's query, a single SELECT on the views that {@code docs/sql.md} describes. */
  void sql(String query, SqlTable table);

  @Override
  void close();
}
