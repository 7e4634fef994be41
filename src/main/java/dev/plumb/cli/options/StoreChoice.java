package dev.plumb.cli.options;

import dev.plumb.cli.text.Times;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import java.time.Instant;
import java.time.ZoneId;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects a part of a store. */
public final class StoreChoice {
  @Parameters(
      paramLabel = "TYPE",
      defaultValue = "cpu",
      arity = "0..1",
      description = "A mode (default: ${DEFAULT-VALUE}), or the id of a profile type.")
  private String type;

  @Mixin private StoreFolder folder = new StoreFolder();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      defaultValue = "now-1h",
      description = "Start: now-1h (default), 03:12, 2026-11-15T03:12, or seconds since 1970.")
  private String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      defaultValue = "now",
      description = "End, in the same forms (default: now).")
  private String to;

  @Option(
      names = "--where",
      paramLabel = "SELECTOR",
      defaultValue = "{}",
      description = "Select series, e.g. '{comm=\"java\", container=~\"shop.*\"}'.")
  private String where;

  public ReadableStore open() {
    return folder.open();
  }

  TimeRange range() {
    Times times = new Times(Instant.now(), ZoneId.systemDefault());
    return new TimeRange(times.nanos(from), times.nanos(to));
  }

  public Selection selection(ReadableStore store) {
    Selector selector = Selector.parse(where.startsWith("{") ? where : "{" + where + "}");
    TimeRange range = range();
    if (type.indexOf(':') > 0) {
      return Selection.of(ProfileType.parse(type), selector, range);
    }
    ProfileType main =
        store
            .mainType(type)
            .orElseThrow(
                () ->
                    new StoreException(
                        "the store has no profiles of '%s'; it has %s"
                            .formatted(type, types(store))));
    return Selection.of(main, selector, range);
  }

  private static String types(ReadableStore store) {
    String types =
        store.types(TimeRange.ALL).stream().map(ProfileType::id).collect(Collectors.joining(", "));
    return types.isEmpty() ? "none at all" : types;
  }
}
