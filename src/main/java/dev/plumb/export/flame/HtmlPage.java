package dev.plumb.export.flame;

import dev.plumb.export.wire.TextOut;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One self-contained page: markup, style, data and script joined from resources.
 *
 * <p>The scripts are modules of their own; joined, they share one scope, so imports go and exports
 * become plain declarations.
 */
final class HtmlPage {
  private static final String FOLDER = "/web/flame/";

  /** In the order of use: a script comes after those it needs. */
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

  private final String title;
  private final String facts;
  private final List<FlameData> data;

  /**
   * @param facts what the page says of the run and of each set of data, as JSON
   */
  HtmlPage(String title, String facts, List<FlameData> data) {
    this.title = title;
    this.facts = facts;
    this.data = data;
  }

  void writeTo(OutputStream out) throws IOException {
    String[] parts = resource("page.html").split("\\{\\{(?=\\w)|(?<=\\w)}}");
    for (String part : parts) {
      switch (part) {
        case "title" -> out.write(TextOut.utf8(Markup.escape(title)));
        case "style" -> out.write(TextOut.utf8(resource("page.css") + resource("parts.css")));
        case "facts" -> out.write(TextOut.utf8(facts));
        case "data" -> data(out);
        case "script" -> out.write(TextOut.utf8(script()));
        default -> out.write(TextOut.utf8(part));
      }
    }
    out.flush();
  }

  private void data(OutputStream out) throws IOException {
    for (int i = 0; i < data.size(); i++) {
      out.write(TextOut.utf8("<script type=\"text/plain\" id=\"data-" + i + "\">"));
      data.get(i).writeTo(out);
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
