package dev.plumb.export.flame;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.wire.Json;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The flame graph and table of all modes in one page that needs no network. */
public final class HtmlWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    List<Profile> profiles =
        options.mode().isEmpty() && !recording.profiles().isEmpty()
            ? recording.profiles()
            : List.of(options.profile(recording));
    String title = options.title().isEmpty() ? title(recording, profiles) : options.title();
    Json json = new Json().open('{');
    run(json, title, recording);
    json.key("view").value(options.view());
    json.key("profiles").open('[');
    List<FlameData> data = new ArrayList<>();
    for (Profile profile : profiles) {
      int type = profiles.size() == 1 ? options.type(profile) : profile.mainType();
      json.open('{');
      data.add(profile(json, profile, type, FlameJson.Detail.FILE));
      json.close('}');
    }
    json.close(']').close('}');
    new HtmlPage(title, json.toString(), data).writeTo(out);
  }

  /** {@code cpu of host-a}, or of several modes the host alone: the page lets choose. */
  static String title(Recording recording, List<Profile> profiles) {
    String host = recording.facts().getOrDefault("host", "");
    if (profiles.size() > 1) {
      return host.isEmpty() ? "Plumb" : host;
    }
    String mode = profiles.getFirst().mode();
    return host.isEmpty() ? mode : mode + " of " + host;
  }

  static void run(Json json, String title, Recording recording) {
    json.key("title").value(title);
    json.key("start").value(recording.startNanos() / 1_000_000);
    json.key("duration").value(recording.durationNanos());
    json.key("facts").open('{');
    new TreeMap<>(recording.facts()).forEach((name, value) -> json.key(name).value(value));
    json.close('}');
  }

  /** Puts what the page says of a profile into an object, and gives the tree's columns. */
  static FlameData profile(Json json, Profile profile, int type, FlameJson.Detail detail) {
    int count = profile.countType().orElse(type);
    // Where each sample stands for the same, the samples say it all.
    long scale = count == type ? 1 : scale(profile, type, count);
    int[] types = scale > 0 ? new int[] {count} : new int[] {type, count};
    CallTree tree = detail.build(detail.builder(profile, types));
    FlameData data = scale > 0 ? new FlameData(tree, 0) : new FlameData(tree, 0, 1);
    json.key("mode").value(profile.mode());
    json.key("sampled").value(profile.period() > 0);
    json.key("values").open('[');
    value(json, profile.types().get(type), 0, scale > 0 ? scale : 1);
    if (count != type) {
      value(json, profile.types().get(count), scale > 0 ? 0 : 1, 1);
    }
    json.close(']');
    cut(json, data, detail);
    quality(json, profile.quality());
    return data;
  }

  /** How many of the value one sample is, if it is the same everywhere; else 0. */
  private static long scale(Profile profile, int type, int count) {
    for (int row = 0; row < profile.rows(); row++) {
      if (profile.value(row, type) != profile.value(row, count) * profile.period()) {
        return 0;
      }
    }
    return profile.period();
  }

  static void value(Json json, ValueType type, int column, long scale) {
    json.open('{').key("name").value(type.name()).key("unit").value(type.unit());
    json.key("column").value(column).key("scale").value(scale).close('}');
  }

  static void cut(Json json, FlameData data, FlameJson.Detail detail) {
    json.key("cut").open('{').key("stacks").value(data.cutStacks());
    json.key("total").value(data.cutTotal(0));
    json.key("below").value(1.0 / detail.smallestPart()).close('}');
  }

  static void quality(Json json, Quality quality) {
    json.key("quality").open('{').key("samples").value(quality.samples());
    json.key("rateAsked").value(quality.rateAsked()).key("rateHeld").value(quality.rateHeld());
    counts(json, "lost", quality.lost());
    counts(json, "truncated", quality.truncated());
    counts(json, "unnamed", quality.unnamed());
    json.close('}');
  }

  private static void counts(Json json, String name, Map<String, Long> counts) {
    json.key(name).open('{');
    new TreeMap<>(counts).forEach((reason, count) -> json.key(reason).value(count));
    json.close('}');
  }
}
