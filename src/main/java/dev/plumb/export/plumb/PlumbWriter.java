package dev.plumb.export.plumb;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;

/** Writes Plumb's own format, which keeps everything. {@link PlumbFormat} shows the layout. */
public final class PlumbWriter implements RecordingWriter {
  private static final int ROWS_A_BLOCK = 8192;
  private static final int TIMES_BLOCK_SIZE = 256 * 1024;

  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    try (BlockOut blocks = new BlockOut(out)) {
      part(PlumbFormat.RUN, recording, blocks, options.mode());
      blocks.block(PlumbFormat.END, new VarOut());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    out.flush();
  }

  /** Writes a part, or everything, with its own tables; all modes if {@code mode} is empty. */
  static void part(int type, Recording recording, BlockOut blocks, String mode) throws IOException {
    blocks.block(type, run(recording));
    PlumbTables tables = new PlumbTables(blocks);
    for (Profile profile : recording.profiles()) {
      if (mode.isEmpty() || mode.equals(profile.mode())) {
        blocks.block(PlumbFormat.PROFILE, head(profile));
        rows(profile, tables, blocks);
        times(profile, blocks);
      }
    }
  }

  private static VarOut run(Recording recording) {
    VarOut run = new VarOut();
    run.signed(recording.startNanos()).signed(recording.durationNanos());
    new TreeMap<>(recording.facts()).forEach((name, value) -> run.text(name).text(value));
    return run;
  }

  private static VarOut head(Profile profile) {
    VarOut head = new VarOut();
    head.text(profile.mode()).text(profile.name()).number(profile.types().size());
    profile.types().forEach(type -> valueType(head, type));
    head.number(profile.mainType());
    valueType(head, profile.periodType());
    head.signed(profile.period());
    Quality quality = profile.quality();
    head.signed(quality.samples());
    head.number(Double.doubleToLongBits(quality.rateAsked()));
    head.number(Double.doubleToLongBits(quality.rateHeld()));
    counts(head, quality.lost());
    counts(head, quality.truncated());
    counts(head, quality.unnamed());
    return head;
  }

  private static void valueType(VarOut head, ValueType type) {
    head.text(type.name()).text(type.unit());
  }

  private static void counts(VarOut head, Map<String, Long> counts) {
    head.number(counts.size());
    new TreeMap<>(counts).forEach((reason, count) -> head.text(reason).signed(count));
  }

  private static void rows(Profile profile, PlumbTables tables, BlockOut blocks)
      throws IOException {
    VarOut rows = new VarOut();
    PlumbTables.OfProfile ids = tables.of(profile);
    for (int row = 0; row < profile.rows(); row++) {
      rows.number(ids.stack(profile.stack(row)));
      rows.number(ids.thread(profile.threadId(row)));
      rows.number(ids.labels(profile.labelsId(row)));
      for (int type = 0; type < profile.types().size(); type++) {
        rows.signed(profile.value(row, type));
      }
      if ((row + 1) % ROWS_A_BLOCK == 0) {
        tables.flush();
        blocks.block(PlumbFormat.ROWS, rows);
      }
    }
    if (rows.size() > 0) {
      tables.flush();
      blocks.block(PlumbFormat.ROWS, rows);
    }
  }

  private static void times(Profile profile, BlockOut blocks) throws IOException {
    VarOut times = new VarOut();
    long[] last = new long[2];
    profile
        .timeline()
        .forEach(
            (time, row, cpu, value) -> {
              if (times.size() == 0) {
                times.signed(time);
                last[0] = time;
                last[1] = 0;
              }
              times.signed(time - last[0]).signed(row - last[1]).signed(cpu).signed(value);
              last[0] = time;
              last[1] = row;
              if (times.size() > TIMES_BLOCK_SIZE) {
                blocks.blockUnchecked(PlumbFormat.TIMES, times);
              }
            });
    if (times.size() > 0) {
      blocks.block(PlumbFormat.TIMES, times);
    }
  }
}
