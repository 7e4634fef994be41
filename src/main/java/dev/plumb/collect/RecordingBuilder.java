package dev.plumb.collect;

import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.FrequencySampler;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.ClockOffsets;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes named profiles of raw ones. All of them share one table of stacks. */
final class RecordingBuilder {
  /**
   * A profile whose rows are named but whose stack table is still growing.
   *
   * @param stacks of each raw row, with {@code counts}: rows are bounded, stacks are many more
   */
  private record Unfinished(
      Profile.Builder builder,
      RawProfile raw,
      int[] rows,
      int[] stacks,
      long[] counts,
      Map<String, Long> lost,
      double asked,
      double held) {}

  private final Naming naming;
  private final RawStacks stacks;
  private final ClockOffsets clock;
  private final Runnable meanwhile;
  private final List<Unfinished> unfinished = new ArrayList<>();

  /** {@code meanwhile} is run again and again: names may take long to find. */
  RecordingBuilder(Naming naming, RawStacks stacks, ClockOffsets clock, Runnable meanwhile) {
    this.naming = naming;
    this.stacks = stacks;
    this.clock = clock;
    this.meanwhile = meanwhile;
  }

  /**
   * Names a profile's rows.
   *
   * @param collector knows what they mean
   * @param sampler knows how often samples were taken
   * @param lost by the kernel side, by reason
   */
  void add(RawProfile raw, Collector collector, Collector sampler, Map<String, Long> lost) {
    RawProfile.Meaning meaning = raw.meaning();
    Profile.Builder builder =
        new Profile.Builder(
            meaning.mode(),
            meaning.name(),
            meaning.types(),
            meaning.mainType(),
            meaning.periodType(),
            meaning.period());
    RowNamer namer = collector instanceof RowNamer named ? named : RowNamer.NONE;
    int[] rows = new int[raw.rows()];
    int[] namedStacks = new int[raw.rows()];
    long[] counts = new long[raw.rows()];
    int[] threads = new int[naming.threads()]; // + 1; many rows are of few threads
    for (int row = 0; row < rows.length; row++) {
      int rawStack = raw.stack(row);
      int detail = raw.detail(row);
      int rawThread = raw.thread(row);
      int stack = naming.stack(rawStack, namer.leaf(rawStack, rawThread, detail, naming));
      if (threads[rawThread] == 0) {
        threads[rawThread] = builder.thread(naming.thread(rawThread)) + 1;
      }
      rows[row] =
          builder.row(
              stack,
              threads[rawThread] - 1,
              builder.labels(namer.labels(rawStack, rawThread, detail, naming)));
      namedStacks[row] = stack;
      counts[row] = raw.count(row);
      for (int type = 0; type < meaning.types().size(); type++) {
        builder.add(rows[row], type, raw.amount(row, type));
      }
      meanwhile.run();
    }
    raw.clearRows();
    Map<String, Long> all = new HashMap<>(lost);
    put(all, stacks.missingText(), raw.withoutStack());
    put(all, "too many stacks of too many threads (PLUMB_HEAP=1g holds more)", raw.withoutRow());
    double asked = sampler instanceof FrequencySampler s ? s.rateAsked() : 0;
    double held = sampler instanceof FrequencySampler s ? s.rateHeld() : 0;
    unfinished.add(new Unfinished(builder, raw, rows, namedStacks, counts, all, asked, held));
  }

  private static void put(Map<String, Long> losses, String reason, long n) {
    if (n > 0) {
      losses.put(reason, n);
    }
  }

  /** The profiles, in the order they were added. */
  List<Profile> build(StackTable table) {
    return unfinished.stream()
        .map(
            part ->
                part.builder()
                    .build(
                        table,
                        new RecordedTimeline(part.raw().timeline(), part.rows(), clock),
                        quality(part, table)))
        .toList();
  }

  private static Quality quality(Unfinished part, StackTable table) {
    Map<String, Long> truncated = new HashMap<>();
    Map<String, Long> unnamed = new HashMap<>();
    long samples = 0;
    for (int row = 0; row < part.counts().length; row++) {
      int stack = part.stacks()[row];
      long count = part.counts()[row];
      if (count == 0) {
        continue; // a state and no event
      }
      samples += count;
      StackEnd end = table.end(stack);
      if (end != StackEnd.WHOLE) {
        truncated.merge(end.text(), count, Long::sum);
      }
      Frame leaf = leafCode(table, stack);
      if (!leaf.named()) {
        unnamed.merge(leaf.module().isEmpty() ? "unknown" : leaf.module(), count, Long::sum);
      }
    }
    return new Quality(samples, part.lost(), truncated, unnamed, part.asked(), part.held());
  }

  private static Frame leafCode(StackTable table, int stack) {
    Frame leaf = table.frames().get(table.leaf(stack));
    int caller = table.caller(stack);
    return leaf.kind() == FrameKind.WAITING && !table.isEmpty(caller)
        ? table.frames().get(table.leaf(caller))
        : leaf;
  }

  /** A raw timeline seen with the final rows and the wall clock's times. */
  private record RecordedTimeline(CompactTimeline raw, int[] rows, ClockOffsets clock)
      implements Timeline {
    @Override
    public long size() {
      return raw.size();
    }

    @Override
    public void forEach(Visitor visitor) {
      raw.forEach(
          (time, row, cpu, value) -> visitor.sample(clock.wall(time), rows[row], cpu, value));
    }

    @Override
    public void close() {
      raw.close();
    }
  }
}
