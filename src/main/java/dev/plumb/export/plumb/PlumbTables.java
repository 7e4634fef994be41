package dev.plumb.export.plumb;

import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** Numbers the things that rows refer to, in the order of first use, and writes new ones first. */
final class PlumbTables {
  private final BlockOut blocks;
  private final VarOut strings = new VarOut();
  private final VarOut frames = new VarOut();
  private final VarOut stacks = new VarOut();
  private final VarOut threads = new VarOut();
  private final VarOut labels = new VarOut();
  private final Map<String, Integer> stringIds = new HashMap<>();
  private final Map<ThreadInfo, Integer> threadIds = new HashMap<>();
  private final Map<Labels, Integer> labelIds = new HashMap<>();
  private final Map<StackTable, StackIds> tables = new IdentityHashMap<>();
  private int frameCount;
  private int stackCount;

  PlumbTables(BlockOut blocks) {
    this.blocks = blocks;
  }

  /** What one stack table's frames and stacks are called in the file; -1 if not written yet. */
  private record StackIds(int[] frames, int[] stacks) {
    StackIds(StackTable table) {
      this(new int[table.frames().size()], new int[table.size()]);
      Arrays.fill(frames, -1);
      Arrays.fill(stacks, -1);
    }
  }

  OfProfile of(Profile profile) {
    return new OfProfile(profile);
  }

  /** Writes a block for each table that has grown. */
  void flush() throws IOException {
    flush(PlumbFormat.STRINGS, strings);
    flush(PlumbFormat.FRAMES, frames);
    flush(PlumbFormat.STACKS, stacks);
    flush(PlumbFormat.THREADS, threads);
    flush(PlumbFormat.LABELS, labels);
  }

  private void flush(int type, VarOut table) throws IOException {
    if (table.size() > 0) {
      blocks.block(type, table);
    }
  }

  private int string(String text) {
    Integer known = stringIds.putIfAbsent(text, stringIds.size());
    if (known != null) {
      return known;
    }
    strings.text(text);
    return stringIds.size() - 1;
  }

  private void frame(Frame frame) {
    frames
        .number(string(frame.name()))
        .number(
            (long) frame.kind().ordinal() << 2
                | (frame.named() ? 2 : 0)
                | (frame.inlined() ? 1 : 0))
        .number(string(frame.module()))
        .number(string(frame.buildId()))
        .number(frame.elfAddress())
        .signed(frame.offset())
        .number(string(frame.file()))
        .signed(frame.line());
  }

  /** Numbers for one profile's stacks, threads and labels. */
  final class OfProfile {
    private final Profile profile;
    private final StackIds ids;
    private final int[] ofThread;
    private final int[] ofLabels;

    private OfProfile(Profile profile) {
      this.profile = profile;
      this.ids = tables.computeIfAbsent(profile.stacks(), StackIds::new);
      this.ofThread = new int[profile.threads().size()];
      this.ofLabels = new int[profile.labelSets().size()];
      Arrays.fill(ofThread, -1);
      Arrays.fill(ofLabels, -1);
    }

    int stack(int stack) {
      if (ids.stacks[stack] >= 0) {
        return ids.stacks[stack];
      }
      StackTable table = profile.stacks();
      int[] frameIds = table.frameIds(stack);
      for (int frame : frameIds) {
        if (ids.frames[frame] < 0) {
          frame(table.frames().get(frame));
          ids.frames[frame] = frameCount++;
        }
      }
      stacks.number(frameIds.length).number(table.end(stack).ordinal());
      for (int frame : frameIds) {
        stacks.number(ids.frames[frame]);
      }
      ids.stacks[stack] = stackCount++;
      return ids.stacks[stack];
    }

    int thread(int thread) {
      if (ofThread[thread] < 0) {
        ofThread[thread] =
            threadIds.computeIfAbsent(
                profile.threads().get(thread),
                info -> {
                  threads.signed(info.pid()).signed(info.tid()).signed(info.innerPid());
                  threads.signed(info.startNanos()).number(string(info.comm()));
                  threads.number(string(info.processComm())).number(string(info.cgroup()));
                  return threadIds.size();
                });
      }
      return ofThread[thread];
    }

    int labels(int set) {
      if (ofLabels[set] < 0) {
        ofLabels[set] =
            labelIds.computeIfAbsent(
                profile.labelSets().get(set),
                content -> {
                  labels.number(content.values().size());
                  content
                      .values()
                      .forEach((name, value) -> labels.number(string(name)).number(string(value)));
                  return labelIds.size();
                });
      }
      return ofLabels[set];
    }
  }
}
