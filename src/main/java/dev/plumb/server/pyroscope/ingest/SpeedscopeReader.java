package dev.plumb.server.pyroscope.ingest;

import dev.plumb.export.wire.FormatException;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** speedscope's JSON: frames once, then profiles of samples or of opened and closed frames. */
final class SpeedscopeReader {
  private final NamedStacks stacks;
  private final int[] frames;

  private SpeedscopeReader(NamedStacks stacks, int[] frames) {
    this.stacks = stacks;
    this.frames = frames;
  }

  static void read(byte[] bytes, NamedStacks stacks) {
    JsonValue json;
    try {
      json = JsonValue.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (Refusal e) {
      if (e.code() != ErrorCode.INVALID_ARGUMENT) {
        throw e;
      }
      throw new FormatException("no speedscope file: " + e.getMessage());
    }
    List<JsonValue> frames = list(member(member(json, "shared"), "frames"));
    int[] ids = new int[frames.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] =
          member(frames.get(i), "name") instanceof JsonValue.Text(String name)
              ? stacks.frame(name)
              : stacks.frame("[unknown]");
    }
    SpeedscopeReader run = new SpeedscopeReader(stacks, ids);
    for (JsonValue profile : list(member(json, "profiles"))) {
      if (member(profile, "type") instanceof JsonValue.Text(String type)
          && type.equals("evented")) {
        run.evented(list(member(profile, "events")));
      } else {
        run.sampled(list(member(profile, "samples")), list(member(profile, "weights")));
      }
    }
  }

  private void sampled(List<JsonValue> samples, List<JsonValue> weights) {
    for (int i = 0; i < samples.size(); i++) {
      List<JsonValue> stack = list(samples.get(i));
      int[] ids = new int[stack.size()];
      for (int j = 0; j < ids.length; j++) {
        ids[j] = frame(stack.get(j));
      }
      long weight = i < weights.size() ? Math.round(number(weights.get(i))) : 1;
      if (weight > 0) {
        stacks.add(ids, ids.length, weight);
      }
    }
  }

  /** Time passes between two events in what is open then. */
  private void evented(List<JsonValue> events) {
    int[] open = new int[64];
    int depth = 0;
    double last = 0;
    for (JsonValue event : events) {
      double at = number(member(event, "at"));
      long passed = Math.round(at - last);
      if (depth > 0 && passed > 0) {
        stacks.add(open, Math.min(depth, open.length), passed);
      }
      last = at;
      boolean opens =
          member(event, "type") instanceof JsonValue.Text(String type) && type.equals("O");
      if (opens) {
        if (depth == open.length) {
          open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = frame(member(event, "frame"));
      } else if (depth > 0) {
        depth--;
      }
    }
  }

  private int frame(JsonValue index) {
    double number = number(index);
    if (!(number >= 0 && number < frames.length)) {
      throw new FormatException("a frame that is not in the list of frames");
    }
    return frames[(int) number];
  }

  private static double number(JsonValue value) {
    if (value instanceof JsonValue.Numeral(String text) && text.length() <= 40) {
      return Double.parseDouble(text);
    }
    throw new FormatException("no speedscope file: a number is missing");
  }

  private static JsonValue member(JsonValue json, String name) {
    return json instanceof JsonValue.Members members
        ? members.values().getOrDefault(name, new JsonValue.Nothing())
        : new JsonValue.Nothing();
  }

  private static List<JsonValue> list(JsonValue json) {
    return json instanceof JsonValue.Elements elements ? elements.values() : List.of();
  }
}
