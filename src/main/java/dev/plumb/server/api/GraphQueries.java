package dev.plumb.server.api;

import dev.plumb.export.flame.Difference;
import dev.plumb.export.flame.FlameDocument;
import dev.plumb.export.wire.Json;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Symbol;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import java.util.List;
import java.util.Locale;

/** Answers {@code tree}, {@code diff}, {@code table} and {@code sandwich}. */
final class GraphQueries {
  /** Trees up to this size are sent whole; the page draws and filters them fast enough. */
  private static final int KEEP_ALL = 60_000;

  private final History history;

  GraphQueries(History history) {
    this.history = history;
  }

  void tree(Json json, ApiParameters asked) {
    FlameDocument.of(merged(asked, ""), detail(asked)).writeTo(json);
  }

  /** Two selections of one type; the first one is "before". */
  void diff(Json json, ApiParameters asked) {
    FlameDocument.of(difference(history, asked), detail(asked)).writeTo(json);
  }

  static Difference difference(History history, ApiParameters asked) {
    String first = asked.text("name").isEmpty() ? "before" : asked.text("name");
    String second = asked.text("name2").isEmpty() ? "after" : asked.text("name2");
    return new Difference(
        FrameFilter.of(asked).apply(history.functionsWithCounts(asked.selection(""))),
        FrameFilter.of(asked).apply(history.functionsWithCounts(asked.selection("2"))),
        first,
        second,
        "",
        asked.flag("absolute"));
  }

  void table(Json json, ApiParameters asked) {
    Profile profile = merged(asked, "");
    FunctionTotals totals = FunctionTotals.of(profile, profile.mainType(), by(asked.text("by")));
    int limit = asked.number("limit", 1_000, 1, 100_000);
    List<FunctionTotals.Entry> entries =
        asked.text("sort").equals("total") ? totals.hottestTotal(limit) : totals.hottestSelf(limit);
    json.key("name").value(profile.types().get(profile.mainType()).name());
    json.key("unit").value(profile.types().get(profile.mainType()).unit());
    json.key("sum").value(totals.sum()).key("rows").value(totals.entries().size());
    column(json, "names", entries, (out, entry) -> out.value(entry.name()));
    column(json, "modules", entries, (out, entry) -> out.value(entry.module()));
    column(json, "kinds", entries, (out, entry) -> out.value(kind(entry)));
    column(json, "self", entries, (out, entry) -> out.value(entry.self()));
    column(json, "total", entries, (out, entry) -> out.value(entry.total()));
  }

  private static String kind(FunctionTotals.Entry entry) {
    return entry.kind().name().toLowerCase(Locale.ROOT);
  }

  private static FunctionTotals.By by(String word) {
    return switch (word) {
      case "", "function" -> FunctionTotals.By.FUNCTION;
      case "module" -> FunctionTotals.By.MODULE;
      case "process" -> FunctionTotals.By.PROCESS;
      case "thread" -> FunctionTotals.By.THREAD;
      default ->
          throw Refusal.invalid(
              "%s", "'by' is one of function, module, process and thread, not " + word);
    };
  }

  private interface Cell {
    void put(Json json, FunctionTotals.Entry entry);
  }

  private static void column(
      Json json, String name, List<FunctionTotals.Entry> entries, Cell cell) {
    json.key(name).open('[');
    entries.forEach(entry -> cell.put(json, entry));
    json.close(']');
  }

  /** The callers and callees of a function, in one selection or in two that are compared. */
  void sandwich(Json json, ApiParameters asked) {
    String name = asked.need("function", "malloc");
    Sandwich first = Sandwich.of(merged(asked, ""), name, asked.text("module"));
    boolean compared = asked.flag("compare");
    Sandwich second =
        compared ? Sandwich.of(merged(asked, "2"), name, asked.text("module")) : first;
    if (first.callees().rows() + second.callees().rows() == 0) {
      throw new Refusal(
          ErrorCode.NOT_FOUND,
          "no sample of the selection contains the function '%s'; search for a part of its name in the"
                  .formatted(name.length() > 200 ? name.substring(0, 200) + "…" : name)
              + " table");
    }
    json.key("function").value(name);
    json.key("callers").open('{');
    half(json, asked, first.callers(), second.callers());
    json.close('}').key("callees").open('{');
    half(json, asked, first.callees(), second.callees());
    json.close('}');
  }

  private static void half(Json json, ApiParameters asked, Profile first, Profile second) {
    if (first == second) {
      FlameDocument.of(first, detail(asked)).writeTo(json);
    } else {
      Difference difference = new Difference(first, second, "before", "after", "", true);
      FlameDocument.of(difference, detail(asked)).writeTo(json);
    }
  }

  private Profile merged(ApiParameters asked, String suffix) {
    Selection selection = asked.selection(suffix);
    return history.functionsWithCounts(selection);
  }

  /** Nodes narrower than a quarter of a pixel are not sent. */
  private static FlameDocument.Detail detail(ApiParameters asked) {
    int width = asked.number("width", 1_600, 100, 20_000);
    return new FlameDocument.Detail(
        asked.number("keep", KEEP_ALL, 0, 1_000_000),
        4 * width,
        asked.hash("near", Symbol.ROOT_HASH),
        !asked.text("ends").equals("0"));
  }
}
