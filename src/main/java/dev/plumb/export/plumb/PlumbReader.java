package dev.plumb.export.plumb;

import dev.plumb.export.file.Reading;
import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.VarIn;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads {@code .plumb} files; in a damaged file, everything before the damage. */
public final class PlumbReader implements RecordingReader {
  private static final int BUFFER = 64 * 1024;

  @Override
  public Reading read(InputStream in) throws IOException {
    return read(in, ReadingPlan.EVERYTHING, Long.MAX_VALUE);
  }

  /**
   * Reads a file in bounded memory. If it does not fit, what makes the rows numerous is left out,
   * the largest part first, and a warning says so; sums stay the same.
   */
  public static Reading read(Path file, long maxBytes) throws IOException {
    ReadingPlan plan = ReadingPlan.EVERYTHING;
    while (true) {
      try (InputStream in = Files.newInputStream(file)) {
        return read(in, plan, maxBytes);
      } catch (TooLargeException e) {
        plan = e.smaller();
      }
    }
  }

  private static Reading read(InputStream in, ReadingPlan plan, long maxBytes) throws IOException {
    try (BlockIn blocks = new BlockIn(new BufferedInputStream(in, BUFFER));
        Run run = new Run(plan, maxBytes)) {
      return run.read(blocks);
    }
  }

  /** What was read so far takes too much memory. */
  private static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient ReadingPlan smaller;

    TooLargeException(ReadingPlan smaller) {
      super("too large", null, false, false);
      this.smaller = smaller;
    }

    ReadingPlan smaller() {
      return smaller;
    }
  }

  /** One file. */
  private static final class Run implements AutoCloseable {
    private final ReadingPlan plan;
    private final long maxBytes;
    private final StackTable.Builder stacks = new StackTable.Builder();
    private PlumbTablesIn tables;

    /** By mode. */
    private final Map<String, PlumbProfileIn> profiles = new LinkedHashMap<>();

    private PlumbProfileIn current;
    private final Map<String, String> facts = new TreeMap<>();
    private long startNanos;
    private long durationNanos;
    private long tableBytes;
    private boolean started;
    private boolean built;

    Run(ReadingPlan plan, long maxBytes) {
      this.plan = plan;
      this.maxBytes = maxBytes;
      this.tables = new PlumbTablesIn(stacks, plan);
    }

    Reading read(BlockIn blocks) throws IOException {
      boolean whole = false;
      while (!whole && blocks.next()) {
        whole = blocks.type() == PlumbFormat.END;
        block(blocks);
        checkSize();
      }
      if (profiles.isEmpty()) {
        throw new FormatException(
            whole
                ? "the .plumb file holds no profile: nothing was measured"
                : "nothing to read in the .plumb file: " + blocks.damage());
      }
      StackTable table = stacks.build();
      List<Profile> all = profiles.values().stream().map(profile -> profile.build(table)).toList();
      built = true;
      List<String> warnings = new ArrayList<>(plan.leftOut());
      if (!whole) {
        warnings.add(blocks.damage() + "; what comes before was read, the rest is missing");
      }
      return new Reading(new Recording(startNanos, durationNanos, all, facts), warnings);
    }

    private void checkSize() {
      long bytes = plan.stackBytes(stacks.size());
      for (PlumbProfileIn profile : profiles.values()) {
        bytes += profile.bytes();
      }
      if (bytes > maxBytes && plan.canBeSmaller()) {
        throw new TooLargeException(plan.smaller(profiles.values(), stacks.size(), maxBytes));
      }
    }

    private void block(BlockIn blocks) {
      VarIn in = blocks.payload();
      if (blocks.type() != PlumbFormat.TIMES) {
        tableBytes += blocks.bytes().length;
        if (tableBytes > PlumbFormat.MAX_TABLES) {
          throw new FormatException("a part of the .plumb file holds more than 2 GB of stacks");
        }
      }
      switch (blocks.type()) {
        case PlumbFormat.RUN, PlumbFormat.PART -> part(in);
        case PlumbFormat.STRINGS -> tables.strings(in);
        case PlumbFormat.FRAMES -> tables.frames(in);
        case PlumbFormat.STACKS -> tables.stacks(in);
        case PlumbFormat.THREADS -> tables.threads(in);
        case PlumbFormat.LABELS -> tables.labels(in);
        case PlumbFormat.PROFILE -> profile(in);
        case PlumbFormat.ROWS -> current().rows(in, tables);
        case PlumbFormat.TIMES -> current().times(in);
        // A block type of a later version: the known blocks do not depend on it.
        default -> {}
      }
    }

    private PlumbProfileIn current() {
      if (current == null) {
        throw new FormatException("damaged .plumb file: rows before their profile");
      }
      return current;
    }

    private void part(VarIn in) {
      long start = in.signed();
      startNanos = started ? startNanos : start;
      durationNanos += in.signed();
      while (in.more()) {
        facts.put(in.text(), in.text());
      }
      if (started) {
        tables = new PlumbTablesIn(stacks, plan);
        tableBytes = 0;
        current = null;
      }
      started = true;
    }

    private void profile(VarIn in) {
      if (profiles.size() == PlumbFormat.MAX_PROFILES) {
        throw new FormatException("damaged .plumb file: too many profiles");
      }
      PlumbProfileIn.Head head = PlumbProfileIn.Head.read(in);
      current = profiles.computeIfAbsent(head.key(), key -> new PlumbProfileIn(head));
      current.beginPart(head);
    }

    @Override
    public void close() {
      if (!built) {
        profiles.values().forEach(PlumbProfileIn::close);
      }
    }
  }
}
