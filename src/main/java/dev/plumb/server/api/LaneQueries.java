package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import java.util.List;
import java.util.Optional;

/** Answers {@code threads} and {@code cpus}: single samples in the order of time. */
final class LaneQueries {
  /** More samples cannot be told apart in a picture, and burden both sides. */
  private static final int MOST = 400_000;

  private static final String HERE = "; select a shorter time or fewer processes";

  private final History history;

  LaneQueries(History history) {
    this.history = history;
  }

  /** What each thread did: samples on a CPU, waits off it. */
  void threads(Json json, ApiParameters asked) {
    lanes(json, asked, List.of(SampleColumns.Kind.ON_CPU, SampleColumns.Kind.WAIT));
  }

  /** What each CPU did, and how many threads wanted it where that was recorded. */
  void cpus(Json json, ApiParameters asked) {
    boolean queues = find(asked.range(), SampleColumns.Kind.QUEUE).isPresent();
    lanes(json, asked, List.of(queues ? SampleColumns.Kind.QUEUE : SampleColumns.Kind.ON_CPU));
  }

  private Optional<ProfileType> find(TimeRange range, SampleColumns.Kind kind) {
    return history.types(range).stream()
        .filter(type -> (type.name() + ":" + type.sampleType()).equals(kind.type()))
        .findFirst();
  }

  private void lanes(Json json, ApiParameters asked, List<SampleColumns.Kind> wanted) {
    TimeRange range = asked.range();
    Selector selector = asked.selector();
    int limit = asked.number("limit", 60_000, 1, MOST);
    SampleColumns columns = new SampleColumns(range, limit, HERE);
    for (SampleColumns.Kind kind : wanted) {
      Optional<ProfileType> type = find(range, kind);
      if (type.isEmpty()) {
        continue;
      }
      Selection selection = new Selection(type.get(), selector, range, Selection.Slice.WHOLE);
      try (Recording recording = history.lanes(selection, limit)) {
        for (Profile profile : recording.profiles()) {
          columns.add(profile, kind);
        }
      } catch (StoreException e) {
        if (e.reason() != StoreException.Reason.TOO_MUCH) {
          throw e;
        }
        throw new Refusal(ErrorCode.TOO_LARGE, e.getMessage() + HERE);
      }
    }
    columns.put(json);
  }
}
