package dev.plumb.export.flame;

import dev.plumb.export.wire.Json;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.CallTreeBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Symbol;

/**
 * A flame graph as the page's script asks a server for it: an object of facts, in which {@code
 * data} is the tree in columns ({@link FlameData}).
 */
public final class FlameJson {
  private FlameJson() {}

  /**
   * How much of a tree is given.
   *
   * @param keepAll a tree of no more nodes is given whole
   * @param smallestPart of a larger one, what is less than one such part of the whole is cut
   * @param near the path hash of a node below which parts are of what it holds
   * @param ends whether stacks that are not whole hang under a node that says why
   */
  public record Detail(int keepAll, int smallestPart, int near, boolean ends) {
    static final Detail FILE =
        new Detail(FlameData.KEEP_ALL, FlameData.SMALLEST_PART, Symbol.ROOT_HASH, true);

    CallTreeBuilder builder(Profile profile, int... types) {
      return ends ? CallTree.builderWithEnds(profile, types) : CallTree.builder(profile, types);
    }

    CallTree build(CallTreeBuilder builder) {
      return builder.build(keepAll, smallestPart, near);
    }
  }

  /** The fields of a profile's main value. */
  public static void put(Json json, Profile profile, Detail detail) {
    FlameData data = HtmlWriter.profile(json, profile, profile.mainType(), detail);
    json.key("data").value(data.text());
  }

  /** The fields of two that are compared. */
  public static void put(Json json, Difference difference, Detail detail) {
    json.key("compared").open('[');
    json.value(difference.beforeName()).value(difference.afterName()).close(']');
    FlameData data = difference.graph(json, detail);
    json.key("data").value(data.text());
  }
}
