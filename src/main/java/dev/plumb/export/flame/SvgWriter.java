package dev.plumb.export.flame;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.Symbol;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A flame graph as an image that any viewer shows. In a browser, a click zooms and a search field
 * appears.
 */
public final class SvgWriter implements RecordingWriter {
  private static final int WIDTH = 1200;
  private static final int MARGIN = 8;
  private static final int ROW = 17;
  private static final int TOP = 52;
  private static final int FOOT = 28;

  /** Of the monospaced font in the style below, at 11 px, rounded up. */
  private static final double LETTER = 6.7;

  /** Nodes narrower than a third of a pixel are left out. */
  private static final int SMALLEST_PART = WIDTH * 3;

  private static final FlameDocument.Detail DETAIL =
      new FlameDocument.Detail(SMALLEST_PART, SMALLEST_PART, Symbol.ROOT_HASH, false);

  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    Profile profile = options.profile(recording);
    String title = FlameDocument.title(options, recording, List.of(profile));
    TextOut text = new TextOut(out);
    try {
      new Picture(FlameDocument.of(profile, options.type(profile), DETAIL), text).write(title);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    text.flush();
  }

  /** One picture. */
  private static final class Picture {
    private final FlameDocument document;
    private final CallTree tree;
    private final TextOut out;
    private final double[] starts;
    private final double[] next;
    private int deepest;

    Picture(FlameDocument document, TextOut out) {
      this.document = document;
      this.tree = document.tree();
      this.out = out;
      this.starts = new double[tree.size()];
      this.next = new double[tree.size()];
      tree.walk(
          (node, depth) -> {
            deepest = Math.max(deepest, depth);
            return true;
          });
    }

    void write(String title) throws IOException {
      int height = TOP + (deepest + 1) * ROW + FOOT;
      out.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
      out.text(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n"
              .formatted(WIDTH, height, WIDTH, height));
      out.text("<title>" + Markup.escape(title) + "</title>\n<style>");
      out.text(HtmlPage.resource("still.css"));
      out.text(Shades.rules(false));
      out.text("@media (prefers-color-scheme:dark){" + Shades.rules(true) + "}</style>\n");
      out.text(
          "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V6\"/></pattern></defs>\n");
      out.text("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
      out.text("<text class=\"title\" x=\"8\" y=\"20\">" + Markup.escape(title) + "</text>\n");
      out.text("<text class=\"soft\" x=\"8\" y=\"38\">" + Markup.escape(facts()) + "</text>\n");
      out.text("<g id=\"frames\">\n");
      tree.walk(
          (node, depth) -> {
            try {
              frame(node, depth);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return true;
          });
      out.text("</g>\n<text class=\"soft\" id=\"foot\" x=\"8\" y=\"" + (height - 10) + "\"/>\n");
      out.text("<script><![CDATA[\n" + HtmlPage.resource("still.js") + "]]></script>\n</svg>\n");
    }

    /** The base of all shares, and how good the measurement is. */
    private String facts() {
      String base = amounts(0);
      Quality quality = document.quality();
      if (quality.samples() == 0) {
        return base;
      }
      long samples = quality.samples();
      String text =
          "%s · %s lost · %s incomplete stacks · %s unnamed"
              .formatted(
                  base,
                  Amount.percent(quality.lostTotal(), samples + quality.lostTotal()),
                  Amount.percent(quality.truncatedTotal(), samples),
                  Amount.percent(quality.unnamedTotal(), samples));
      return tree.cutStacks() == 0
          ? text
          : text + " · frames below 1/%d not drawn".formatted(SMALLEST_PART);
    }

    /** A node's total in each of the values. */
    private String amounts(int node) {
      return document.values().stream()
          .map(value -> amount(node, value))
          .collect(Collectors.joining(", "));
    }

    private String amount(int node, FlameDocument.Value value) {
      long total = tree.total(node, value.column()) * value.scale();
      return Amount.of(total, value.type().name(), value.type().unit());
    }

    private void frame(int node, int depth) throws IOException {
      long all = Math.max(1, tree.total(0, 0));
      int parent = tree.parent(node);
      if (parent >= 0) {
        starts[node] = next[parent];
        next[parent] += tree.total(node, 0);
      }
      next[node] = starts[node];
      double scale = (WIDTH - 2.0 * MARGIN) / all;
      double x = MARGIN + starts[node] * scale;
      double width = tree.total(node, 0) * scale;
      int y = TOP + depth * ROW;
      Symbol symbol = tree.symbol(node);
      String name = Markup.escape(symbol.name());
      String box =
          String.format(
              Locale.ROOT,
              "x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"",
              x,
              y,
              width,
              ROW - 1);
      out.text("<g><title>" + name + " · " + Markup.escape(describe(node, symbol)) + "</title>");
      out.text("<rect class=\"" + Shades.className(symbol) + "\" " + box + "/>");
      if (symbol.inlined()) {
        out.text("<rect class=\"inlined\" " + box + "/>");
      }
      String shown = fit(symbol.name(), width);
      out.text(String.format(Locale.ROOT, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + 12));
      out.text(Markup.escape(shown) + "</text></g>\n");
    }

    private String describe(int node, Symbol symbol) {
      String module = symbol.module().isEmpty() ? "" : symbol.module() + " · ";
      return "%s%s of %s · %s · self %s"
          .formatted(
              module,
              Amount.percent(tree.total(node, 0), tree.total(0, 0)),
              amount(0, document.values().getFirst()),
              amounts(node),
              Amount.percent(tree.self(node, 0), tree.total(0, 0)));
    }

    private static String fit(String name, double width) {
      int letters = (int) ((width - 6) / LETTER);
      if (letters >= name.codePointCount(0, name.length())) {
        return name;
      }
      return letters < 4 ? "" : name.substring(0, name.offsetByCodePoints(0, letters - 1)) + "…";
    }
  }
}
