package dev.plumb.export.flame;

import dev.plumb.export.wire.Json;
import dev.plumb.export.wire.TextOut;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A self-contained page: markup, styles, data and scripts, joined from resources.
 *
 * <p>The scripts are modules. Joined, they share one scope, so imports are dropped and exports
 * become plain declarations.
 */
final class HtmlPage {
  private static final String FOLDER = "/web/flame/";

  /** A script comes after those that it needs. */
  static final List<String> SCRIPTS =
      List.of(
          "numbers.js",
          "data.js",
          "tree.js",
          "totals.js",
          "search.js",
          "colour.js",
          "measure.js",
          "state.js",
          "painter.js",
          "graph.js",
          "table.js",
          "panels.js",
          "lines.js",
          "inspect.js",
          "app.js");

  private final Head head;
  private final List<FlameDocument> documents;

  /**
   * What the page says above its graphs.
   *
   * @param facts of the recording: its host, its target
   * @param view what the page shows first, as its address spells it
   */
  record Head(
      String title, long startNanos, long durationNanos, Map<String, String> facts, String view) {}

  HtmlPage(Head head, List<FlameDocument> documents) {
    this.head = head;
    this.documents = documents;
  }

  private String facts() {
    Json json = new Json().open('{');
    json.key("title").value(head.title());
    json.key("start").value(head.startNanos() / 1_000_000);
    json.key("duration").value(head.durationNanos());
    json.key("facts").open('{');
    new TreeMap<>(head.facts()).forEach((name, value) -> json.key(name).value(value));
    json.close('}').key("view").value(head.view());
    documents.getFirst().comparison().ifPresent(sides -> FlameDocument.writeTo(json, sides));
    json.key("profiles").open('[');
    for (FlameDocument document : documents) {
      json.open('{');
      document.writeFactsTo(json);
      json.close('}');
    }
    return json.close(']').close('}').toString();
  }

  void writeTo(OutputStream out) throws IOException {
    String[] parts = resource("page.html").split("\\{\\{(?=\\w)|(?<=\\w)}}");
    for (String part : parts) {
      switch (part) {
        case "title" -> out.write(TextOut.utf8(Markup.escape(head.title())));
        case "style" -> out.write(TextOut.utf8(resource("page.css") + resource("parts.css")));
        case "facts" -> out.write(TextOut.utf8(facts()));
        case "data" -> data(out);
        case "script" -> out.write(TextOut.utf8(script()));
        default -> out.write(TextOut.utf8(part));
      }
    }
    out.flush();
  }

  private void data(OutputStream out) throws IOException {
    for (int i = 0; i < documents.size(); i++) {
      out.write(TextOut.utf8("<script type=\"text/plain\" id=\"data-" + i + "\">"));
      documents.get(i).columns().writePackedTo(out);
      out.write(TextOut.utf8("</script>\n"));
    }
  }

  static String script() {
    return SCRIPTS.stream().map(HtmlPage::module).collect(Collectors.joining("\n"));
  }

  private static String module(String name) {
    return resource(name)
        .replaceAll("(?m)^import [^;]*;\n", "")
        .replaceAll("(?m)^export (?=(async |const |function |class ))", "");
  }

  static String resource(String name) {
    try (InputStream in = HtmlPage.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + FOLDER + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
