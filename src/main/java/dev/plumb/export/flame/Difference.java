package dev.plumb.export.flame;

import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.text.FoldedLines;
import dev.plumb.export.text.FoldedWriter;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.CallTreeBuilder;
import dev.plumb.profile.FunctionSums;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Symbol;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The comparison of two profiles of one mode, by shares of each whole or by absolute values.
 *
 * @param absolute whether absolute values are compared, not shares
 */
public record Difference(
    Profile before,
    Profile after,
    String beforeName,
    String afterName,
    String value,
    boolean absolute) {
  private static final int BEFORE = 0;
  private static final int AFTER = 1;
  static final int BEFORE_COUNT = 2;
  private static final int AFTER_COUNT = 3;

  public Difference {
    WriteOptions options = WriteOptions.DEFAULT.withValue(value);
    ValueType a = before.types().get(options.type(before));
    ValueType b = after.types().get(options.type(after));
    if (!a.unit().equals(b.unit())) {
      throw new FormatException(
          "%s is in %s (%s) and %s in %s (%s): choose what both have with --value"
              .formatted(beforeName, a.unit(), a.name(), afterName, b.unit(), b.name()));
    }
  }

  /** The value that is compared. */
  public ValueType type() {
    return before.types().get(beforeType());
  }

  /** What samples are counted as; both sides must count them. */
  ValueType countType() {
    return before.types().get(before.countType().getAsInt());
  }

  private int beforeType() {
    return WriteOptions.DEFAULT.withValue(value).type(before);
  }

  private int afterType() {
    return WriteOptions.DEFAULT.withValue(value).type(after);
  }

  /**
   * A function's change.
   *
   * @param selfBefore a share, or the value itself if absolute
   * @param noise how much the share of the total may differ by chance; 0 if unknown
   */
  public record Entry(
      Symbol symbol,
      double selfBefore,
      double selfAfter,
      double totalBefore,
      double totalAfter,
      double noise) {
    public double selfChange() {
      return selfAfter - selfBefore;
    }

    public double totalChange() {
      return totalAfter - totalBefore;
    }

    /** Whether chance alone makes such a difference at least about once in twenty times. */
    public boolean isChance() {
      return Math.max(Math.abs(selfChange()), Math.abs(totalChange())) <= noise;
    }
  }

  /** All functions of both sides. */
  public List<Entry> functions() {
    CallTree tree = builder(false).build();
    double[] weights = {weight(before, beforeType()), weight(after, afterType())};
    FunctionSums sums = new FunctionSums(tree);
    List<Entry> entries = new ArrayList<>();
    for (int id = 0; id < sums.functions().size(); id++) {
      double totalBefore = sums.total(id, BEFORE) * weights[BEFORE];
      double totalAfter = sums.total(id, AFTER) * weights[AFTER];
      entries.add(
          new Entry(
              sums.functions().get(id),
              sums.self(id, BEFORE) * weights[BEFORE],
              sums.self(id, AFTER) * weights[AFTER],
              totalBefore,
              totalAfter,
              noise(tree, totalBefore, totalAfter)));
    }
    return entries;
  }

  private double weight(Profile profile, int type) {
    long total = profile.total(type);
    return absolute ? 1 : total == 0 ? 0 : 1.0 / total;
  }

  private double noise(CallTree tree, double shareBefore, double shareAfter) {
    if (absolute || tree.columns() < 4 || before.period() == 0 || after.period() == 0) {
      return 0;
    }
    double variance =
        variance(shareBefore, tree.total(0, BEFORE_COUNT))
            + variance(shareAfter, tree.total(0, AFTER_COUNT));
    return 2 * Math.sqrt(variance);
  }

  private static double variance(double share, long samples) {
    return samples == 0 ? 0 : Math.max(0, share * (1 - share)) / samples;
  }

  /** A tree with both sides' values, and both sides' counts if both have them. */
  CallTreeBuilder builder(boolean ends) {
    boolean counted = before.countType().isPresent() && after.countType().isPresent();
    CallTreeBuilder builder = new CallTreeBuilder(counted ? 4 : 2, ends);
    add(builder, before, beforeType(), BEFORE, counted);
    add(builder, after, afterType(), AFTER, counted);
    return builder;
  }

  private static void add(
      CallTreeBuilder builder, Profile profile, int type, int side, boolean counted) {
    if (counted) {
      int count = profile.countType().getAsInt();
      builder.add(profile, new int[] {type, count}, new int[] {side, 2 + side});
    } else {
      builder.add(profile, new int[] {type}, new int[] {side});
    }
  }

  /** Writes a page with one graph of both sides. */
  public void writeHtml(OutputStream out, String title) throws IOException {
    writeHtml(out, title, "");
  }

  /** The same; {@code view} is what the page shows first, as in its URL. */
  public void writeHtml(OutputStream out, String title, String view) throws IOException {
    String heading =
        title.isEmpty() ? "%s: %s → %s".formatted(after.mode(), beforeName, afterName) : title;
    HtmlPage.Head head = new HtmlPage.Head(heading, 0, 0, Map.of(), view);
    FlameDocument both = FlameDocument.of(this, FlameDocument.Detail.FILE);
    new HtmlPage(head, List.of(both)).writeTo(out);
  }

  /** The sums of both sides' samples and losses. */
  Quality quality() {
    Quality a = before.quality();
    Quality b = after.quality();
    return new Quality(
        a.samples() + b.samples(),
        sum(a.lost(), b.lost()),
        sum(a.truncated(), b.truncated()),
        sum(a.unnamed(), b.unnamed()),
        0,
        0);
  }

  private static Map<String, Long> sum(Map<String, Long> a, Map<String, Long> b) {
    Map<String, Long> sum = new TreeMap<>(a);
    b.forEach((reason, count) -> sum.merge(reason, count, Long::sum));
    return sum;
  }

  /**
   * Writes lines {@code stack n1 n2}; unless absolute, n1 is scaled so that both sums are equal.
   */
  public void writeFolded(OutputStream out) throws IOException {
    CallTree tree = builder(false).build();
    boolean samples =
        value.isEmpty() && tree.columns() == 4 && before.period() > 0 && after.period() > 0;
    int[] columns = samples ? new int[] {BEFORE_COUNT, AFTER_COUNT} : new int[] {BEFORE, AFTER};
    long divisor = samples ? 1 : FoldedWriter.divisor(before, beforeType());
    long sumBefore = tree.total(0, columns[0]);
    long sumAfter = tree.total(0, columns[1]);
    double scale = absolute || sumBefore == 0 ? 1 : (double) sumAfter / sumBefore;
    TextOut text = new TextOut(out);
    try {
      new FoldedLines(
              tree,
              (node, line) -> {
                long a = Math.round(tree.self(node, columns[0]) * scale / divisor);
                long b = tree.self(node, columns[1]) / divisor;
                if (a != 0 || b != 0) {
                  line.putInto(text).ascii(' ').number(a).ascii(' ').number(b).ascii('\n');
                }
              })
          .write();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    text.flush();
  }
}
