package dev.plumb.server.api;

import dev.plumb.export.Json;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.server.Code;
import dev.plumb.server.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import java.util.List;
import java.util.Optional;

/** Single samples in the order of time: by thread, and by CPU. */
final class Lanes {
  /** More than these are no picture any more, and a burden on both sides. */
  private static final int MOST = 400_000;

  private static final String HERE = "; select a shorter time or fewer processes";

  private final History history;

  Lanes(History history) {
    this.history = history;
  }

  /** What each thread did: on a CPU in samples, off it in waits. */
  void threads(Json json, Asked asked) {
    lanes(json, asked, List.of("process_cpu:cpu", "off_cpu:time"));
  }

  /** What each CPU did. */
  void cpus(Json json, Asked asked) {
    lanes(json, asked, List.of("process_cpu:cpu"));
  }

  private void lanes(Json json, Asked asked, List<String> wanted) {
    TimeRange range = asked.range();
    Selector selector = asked.selector();
    int limit = asked.number("limit", 60_000, 1, MOST);
    List<ProfileType> types = history.types(range);
    SampleColumns columns = new SampleColumns(range, limit, HERE);
    for (String name : wanted) {
      Optional<ProfileType> type =
          types.stream().filter(t -> (t.name() + ":" + t.sampleType()).equals(name)).findFirst();
      if (type.isEmpty()) {
        continue;
      }
      Selection selection = new Selection(type.get(), selector, range, Selection.Slice.WHOLE);
      try (Recording recording = history.samples(selection, limit)) {
        for (Profile profile : recording.profiles()) {
          columns.add(profile, name.startsWith("off_cpu"));
        }
      } catch (StoreException e) {
        throw new Refusal(Code.TOO_LARGE, e.getMessage() + HERE);
      }
    }
    columns.put(json);
  }
}
