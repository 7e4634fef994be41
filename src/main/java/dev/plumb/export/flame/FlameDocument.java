package dev.plumb.export.flame;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.Json;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.CallTreeBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A flame graph and all that is said beside it: which values its tree has, what was cut from the
 * tree, how good the measurement is. The HTML and SVG files and the page's API are made from it.
 */
public final class FlameDocument {
  /**
   * How much of a tree a document keeps.
   *
   * @param keepAll a tree with at most this many nodes is kept whole
   * @param smallestPart in a larger tree, nodes below one such part of the whole are cut
   * @param near the path hash of a node below which parts are measured against that node
   * @param ends whether incomplete stacks hang under a node that says why they are incomplete
   */
  public record Detail(int keepAll, int smallestPart, int near, boolean ends) {
    /** For files, which cannot ask for more later. */
    static final Detail FILE = new Detail(200_000, 100_000, Symbol.ROOT_HASH, true);

    CallTree build(CallTreeBuilder builder) {
      return builder.build(keepAll, smallestPart, near);
    }
  }

  /** A value of each node: the tree's column times a scale. */
  record Value(ValueType type, int column, long scale) {}

  /** What the two sides of a comparison are called, and whether their values are not shares. */
  record Comparison(String before, String after, boolean absolute) {}

  private final String mode;
  private final Optional<Comparison> comparison;
  private final boolean sampled;
  private final List<Value> values;
  private final Quality quality;
  private final CallTree tree;
  private final Detail detail;

  private FlameDocument(
      String mode,
      Optional<Comparison> comparison,
      boolean sampled,
      List<Value> values,
      Quality quality,
      CallTree tree,
      Detail detail) {
    this.mode = mode;
    this.comparison = comparison;
    this.sampled = sampled;
    this.values = List.copyOf(values);
    this.quality = quality;
    this.tree = tree;
    this.detail = detail;
  }

  /** The graph of a profile's main value. */
  public static FlameDocument of(Profile profile, Detail detail) {
    return of(profile, profile.mainType(), detail);
  }

  /** The graph of one value of a profile, with its samples if it counts them. */
  static FlameDocument of(Profile profile, int type, Detail detail) {
    int count = profile.countType().orElse(type);
    ValueType value = profile.types().get(type);
    List<Value> values = new ArrayList<>();
    // Where every sample stands for the same amount, one column says both.
    long scale = count == type ? 1 : scale(profile, type, count);
    values.add(new Value(value, 0, Math.max(1, scale)));
    if (count != type) {
      values.add(new Value(profile.types().get(count), scale > 0 ? 0 : 1, 1));
    }
    int[] types = scale > 0 ? new int[] {count} : new int[] {type, count};
    CallTreeBuilder builder =
        detail.ends() ? CallTree.builderWithEnds(profile, types) : CallTree.builder(profile, types);
    return new FlameDocument(
        profile.mode(),
        Optional.empty(),
        profile.period() > 0,
        values,
        profile.quality(),
        detail.build(builder),
        detail);
  }

  /** How much of the value one sample stands for, if it is the same for all; else 0. */
  private static long scale(Profile profile, int type, int count) {
    for (int row = 0; row < profile.rows(); row++) {
      if (profile.value(row, type) != profile.value(row, count) * profile.period()) {
        return 0;
      }
    }
    return profile.period();
  }

  /** One graph of both sides of a comparison. */
  public static FlameDocument of(Difference difference, Detail detail) {
    CallTree tree = detail.build(difference.builder(detail.ends()));
    List<Value> values = new ArrayList<>();
    for (int column = 0; column < tree.columns(); column++) {
      boolean counts = column >= Difference.BEFORE_COUNT;
      values.add(new Value(counts ? difference.countType() : difference.type(), column, 1));
    }
    return new FlameDocument(
        difference.after().mode(),
        Optional.of(
            new Comparison(difference.beforeName(), difference.afterName(), difference.absolute())),
        difference.before().period() > 0 && difference.after().period() > 0,
        values,
        difference.quality(),
        tree,
        detail);
  }

  /**
   * The title of a file: the one that the user chose, or {@code cpu of host-a}; the host alone if
   * the file has several modes.
   */
  static String title(WriteOptions options, Recording recording, List<Profile> profiles) {
    if (!options.title().isEmpty()) {
      return options.title();
    }
    String host = recording.facts().getOrDefault("host", "");
    if (profiles.size() > 1) {
      return host.isEmpty() ? "Plumb" : host;
    }
    String mode = profiles.getFirst().mode();
    return host.isEmpty() ? mode : mode + " of " + host;
  }

  CallTree tree() {
    return tree;
  }

  Quality quality() {
    return quality;
  }

  List<Value> values() {
    return values;
  }

  Optional<Comparison> comparison() {
    return comparison;
  }

  /** Distinct columns of the tree. */
  TreeColumns columns() {
    return new TreeColumns(tree);
  }

  /** Puts the whole document into an object: the facts and, as {@code tree}, the tree. */
  public void writeTo(Json json) {
    comparison.ifPresent(sides -> writeTo(json, sides));
    writeFactsTo(json);
    json.key("tree").open('{');
    columns().writeTo(json);
    json.close('}');
  }

  /** Puts the names of both sides into an object. */
  static void writeTo(Json json, Comparison sides) {
    json.key("compared").open('[').value(sides.before()).value(sides.after()).close(']');
  }

  /** Puts all but the tree into an object. */
  void writeFactsTo(Json json) {
    json.key("mode").value(mode);
    comparison.ifPresent(sides -> json.key("absolute").value(sides.absolute()));
    json.key("sampled").value(sampled);
    json.key("values").open('[');
    for (Value value : values) {
      json.open('{').key("name").value(value.type().name());
      json.key("unit").value(value.type().unit());
      json.key("column").value(value.column()).key("scale").value(value.scale()).close('}');
    }
    json.close(']');
    json.key("cut").open('{').key("stacks").value(tree.cutStacks());
    json.key("total").value(cutTotal());
    json.key("below").value(1.0 / detail.smallestPart()).close('}');
    writeQualityTo(json);
  }

  /** What the cut nodes hold together, in the first column. */
  private long cutTotal() {
    long sum = 0;
    for (int node = 0; node < tree.size() && tree.cutStacks() > 0; node++) {
      sum += tree.cut(node, 0);
    }
    return sum;
  }

  private void writeQualityTo(Json json) {
    json.key("quality").open('{').key("samples").value(quality.samples());
    json.key("rateAsked").value(quality.rateAsked()).key("rateHeld").value(quality.rateHeld());
    writeTo(json, "lost", quality.lost());
    writeTo(json, "truncated", quality.truncated());
    writeTo(json, "unnamed", quality.unnamed());
    json.close('}');
  }

  private static void writeTo(Json json, String name, Map<String, Long> counts) {
    json.key(name).open('{');
    new TreeMap<>(counts).forEach((reason, count) -> json.key(reason).value(count));
    json.close('}');
  }
}
