package dev.plumb.export.pprof;

import static dev.plumb.export.pprof.Pprof.*;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A profile of one value type as plain pprof without labels: stacks and their sums, the process by
 * its name at the root, as Pyroscope merges profiles.
 */
public final class PprofBytes {
  private final ProtoOut out = new ProtoOut();

  private PprofBytes() {}

  /** The first column of the profile. */
  public static byte[] merged(Profile profile, ProfileType type, long timeNanos) {
    StackTable.Builder stacks = new StackTable.Builder();
    Map<Integer, Long> sums = sums(profile, stacks);
    return new PprofBytes()
        .write(new PprofTables(stacks.build()), sums, type, timeNanos, profile.period());
  }

  private static Map<Integer, Long> sums(Profile profile, StackTable.Builder stacks) {
    List<Frame> frames = profile.stacks().frames();
    int[] ids = new int[frames.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = stacks.frame(frames.get(i));
    }
    Map<String, Integer> roots = new HashMap<>();
    Map<Integer, Long> sums = new HashMap<>();
    for (int row = 0; row < profile.rows(); row++) {
      int[] stack = profile.stacks().frameIds(profile.stack(row));
      String process = profile.thread(row).processComm();
      int at = stacks.empty(StackEnd.WHOLE);
      if (!process.isEmpty()) {
        int root =
            roots.computeIfAbsent(
                process, name -> stacks.frame(Frame.ofName(name, FrameKind.NATIVE)));
        at = stacks.called(at, root);
      }
      for (int i = stack.length - 1; i >= 0; i--) {
        at = stacks.called(at, ids[stack[i]]);
      }
      sums.merge(at, profile.value(row, 0), Long::sum);
    }
    return sums;
  }

  private byte[] write(
      PprofTables tables, Map<Integer, Long> sums, ProfileType type, long timeNanos, long period) {
    out.message(SAMPLE_TYPE, valueType(tables, type.sampleType(), type.sampleUnit()));
    ProtoOut packed = new ProtoOut();
    ProtoOut sample = new ProtoOut();
    List<Integer> stacks = new ArrayList<>(sums.keySet());
    stacks.sort(null);
    for (int stack : stacks) {
      packed.clear();
      tables.locations(stack, packed);
      sample.clear();
      sample.message(SAMPLE_LOCATION_ID, packed);
      packed.clear();
      sample.message(SAMPLE_VALUE, packed.varint(sums.get(stack)));
      out.message(SAMPLE, sample);
    }
    out.number(TIME_NANOS, timeNanos);
    out.message(PERIOD_TYPE, valueType(tables, type.periodType(), type.periodUnit()));
    out.number(PERIOD, period);
    out.number(DEFAULT_SAMPLE_TYPE, tables.string(type.sampleType()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      out.writeTo(bytes);
      tables.writeTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static ProtoOut valueType(PprofTables tables, String name, String unit) {
    return new ProtoOut()
        .number(VALUE_TYPE_TYPE, tables.string(name))
        .number(VALUE_TYPE_UNIT, tables.string(unit));
  }
}
