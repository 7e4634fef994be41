package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Answers {@code source}: the hottest lines, or one file with the value of each line. */
final class SourceQueries {
  private static final int MOST_LINES = 500;

  private final History history;

  SourceQueries(History history) {
    this.history = history;
  }

  /** A line of a source file. */
  private record Place(String file, int line) {}

  /** The value of a line: as the leaf, and anywhere in the stack. */
  private static final class Sums {
    private long self;
    private long total;
    private String function = "";
  }

  /** All lines; with {@code file}, the lines of that file and its text if it can be read. */
  void source(Json json, ApiParameters asked) {
    Profile profile = history.merged(asked.selection());
    Map<Place, Sums> sums = sums(profile);
    String file = asked.text("file");
    json.key("name").value(profile.types().get(profile.mainType()).name());
    json.key("unit").value(profile.types().get(profile.mainType()).unit());
    json.key("sum").value(profile.total(profile.mainType()));
    List<Map.Entry<Place, Sums>> lines = new ArrayList<>(sums.entrySet());
    if (!file.isEmpty()) {
      lines.removeIf(entry -> !entry.getKey().file().equals(file));
      if (lines.isEmpty()) {
        throw new Refusal(
            ErrorCode.NOT_FOUND,
            "no sample of the selection is in that file; omit 'file' to see which files there are");
      }
      // Only files that a stack names are read, so that this cannot be used to read others.
      SourceText.Answer text = SourceText.read(file);
      json.key("text").open('[');
      text.lines().forEach(json::value);
      json.close(']').key("why").value(text.why());
    }
    lines.sort(
        Comparator.<Map.Entry<Place, Sums>>comparingLong(e -> e.getValue().self)
            .thenComparingLong(e -> e.getValue().total)
            .reversed()
            .thenComparing(e -> e.getKey().file())
            .thenComparingInt(e -> e.getKey().line()));
    json.key("lines").open('[');
    lines.stream()
        .limit(file.isEmpty() ? MOST_LINES : SourceText.MOST_LINES)
        .forEach(
            entry -> {
              json.open('{').key("file").value(entry.getKey().file());
              json.key("line").value(entry.getKey().line());
              json.key("function").value(entry.getValue().function);
              json.key("self").value(entry.getValue().self);
              json.key("total").value(entry.getValue().total).close('}');
            });
    json.close(']');
  }

  private static Map<Place, Sums> sums(Profile profile) {
    StackTable stacks = profile.stacks();
    long[] byStack = new long[stacks.size()];
    for (int row = 0; row < profile.rows(); row++) {
      byStack[profile.stack(row)] += profile.value(row, profile.mainType());
    }
    Map<Place, Sums> sums = new HashMap<>();
    Set<Place> seen = new HashSet<>();
    for (int stack = 0; stack < byStack.length; stack++) {
      if (byStack[stack] == 0) {
        continue;
      }
      seen.clear();
      boolean leaf = true;
      for (int at = stack; !stacks.isEmpty(at); at = stacks.caller(at)) {
        Frame frame = stacks.frames().get(stacks.leaf(at));
        if (!frame.file().isEmpty() && frame.line() > 0) {
          Place place = new Place(frame.file(), frame.line());
          Sums of = sums.computeIfAbsent(place, p -> new Sums());
          of.function = frame.name();
          of.self += leaf ? byStack[stack] : 0;
          of.total += seen.add(place) ? byStack[stack] : 0;
        }
        leaf = false;
      }
    }
    return sums;
  }
}
