package dev.plumb.server.api;

import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Recording;
import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.StoreException;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;

/** Sends the selection as a file of any format; a comparison as HTML or as folded stacks. */
final class ExportDownload {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  /** For a selection with more samples, sums are written instead of samples. */
  private static final int MOST_SAMPLES = 1_000_000;

  private static final List<String> TIMED = List.of("plumb", "perf-script");

  private static final Map<String, String> MEDIA =
      Map.of(
          ".html", "text/html; charset=utf-8",
          ".svg", "image/svg+xml",
          ".speedscope.json", "application/json");

  private final History history;
  private final ServerInfo about;

  ExportDownload(History history, ServerInfo about) {
    this.history = history;
    this.about = about;
  }

  /** Sends the file while it is made: text can be far larger than the stacks it is made from. */
  void send(ApiParameters asked, ServerResponse response) {
    try {
      Format format = Formats.byName(asked.need("format", "pprof"));
      Selection selection = asked.selection();
      boolean compared = !asked.text("from2").isEmpty() || !asked.text("query2").isEmpty();
      String name =
          "plumb-%s-%s%s%s"
              .formatted(
                  selection.type().name(),
                  STAMP.format(Instant.ofEpochMilli(selection.range().fromNanos() / 1_000_000)),
                  compared ? "-diff" : "",
                  format.ending())
              .replaceAll("[^\\w.-]", "_");
      try (DeferredResponseStream out =
          new DeferredResponseStream(response, headers(name, format))) {
        if (compared) {
          difference(asked, format, out);
        } else {
          write(asked, selection, format, out);
        }
        out.finish();
      }
    } catch (FormatException e) {
      throw new Refusal(ErrorCode.INVALID_ARGUMENT, e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Header> headers(String name, Format format) {
    String type = MEDIA.getOrDefault(format.ending(), "application/octet-stream");
    return List.of(
        HeaderValues.create(HeaderNames.CONTENT_TYPE, type),
        HeaderValues.create(
            HeaderNames.CONTENT_DISPOSITION, "attachment; filename=\"" + name + "\""),
        HeaderValues.create(HeaderNames.CACHE_CONTROL, "no-store"));
  }

  private void write(ApiParameters asked, Selection selection, Format format, OutputStream out)
      throws IOException {
    try (Recording recording = recording(selection, format, FrameFilter.of(asked))) {
      WriteOptions options = WriteOptions.DEFAULT.withTitle(asked.text("title"));
      Formats.write(recording, out, format, options.withView(asked.text("view")));
    }
  }

  private void difference(ApiParameters asked, Format format, OutputStream out) throws IOException {
    switch (format.name()) {
      case "html" ->
          GraphQueries.difference(history, asked)
              .writeHtml(out, asked.text("title"), asked.text("view"));
      case "folded" -> GraphQueries.difference(history, asked).writeFolded(out);
      default ->
          throw Refusal.invalid(
              "%s", "a comparison can be exported as html or folded, not as " + format.name());
    }
  }

  /** Single samples if the format keeps times and there are not too many samples; else sums. */
  private Recording recording(Selection selection, Format format, FrameFilter shape) {
    if (shape.isNone() && TIMED.contains(format.name())) {
      try {
        return history.samples(selection, MOST_SAMPLES);
      } catch (StoreException e) {
        if (e.reason() != StoreException.Reason.TOO_MUCH) {
          throw e;
        }
        // Sums are less detailed, but better than nothing.
      }
    }
    long from = selection.range().fromNanos();
    return new Recording(
        from,
        selection.range().toNanos() - from,
        List.of(shape.apply(history.mergedWithCounts(selection))),
        Map.of("host", about.host(), "target", selection.selector().toString()));
  }
}
