package dev.plumb.server.pyroscope;

import dev.plumb.export.wire.ProtoOut;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A pprof profile made by hand: stacks from the root, with values. */
public final class SmallPprof {
  private final List<String> strings = new ArrayList<>(List.of(""));
  private final Map<String, Integer> functions = new LinkedHashMap<>();
  private final ProtoOut out = new ProtoOut();

  private int string(String text) {
    if (!strings.contains(text)) {
      strings.add(text);
    }
    return strings.indexOf(text);
  }

  public SmallPprof type(String type, String unit) {
    out.message(1, new ProtoOut().number(1, string(type)).number(2, string(unit)));
    return this;
  }

  public SmallPprof period(String type, String unit, long period) {
    out.message(11, new ProtoOut().number(1, string(type)).number(2, string(unit)));
    out.number(12, period);
    return this;
  }

  public SmallPprof time(long nanos, long duration) {
    out.number(9, nanos).number(10, duration);
    return this;
  }

  /** {@code main;run} and its values, with labels in pairs. */
  public SmallPprof sample(String stack, long[] values, String... labels) {
    ProtoOut locations = new ProtoOut();
    String[] frames = stack.split(";");
    for (int i = frames.length - 1; i >= 0; i--) {
      locations.varint(functions.computeIfAbsent(frames[i], _ -> functions.size() + 1));
    }
    ProtoOut packed = new ProtoOut();
    for (long value : values) {
      packed.varint(value);
    }
    ProtoOut sample = new ProtoOut().message(1, locations).message(2, packed);
    for (int i = 0; i < labels.length; i += 2) {
      sample.message(
          3, new ProtoOut().number(1, string(labels[i])).number(2, string(labels[i + 1])));
    }
    out.message(2, sample);
    return this;
  }

  public byte[] bytes() {
    ProtoOut all = new ProtoOut().append(out);
    all.message(3, new ProtoOut().number(1, 1).number(5, string("/bin/app")).number(7, 1));
    functions.forEach(
        (name, id) -> {
          ProtoOut line = new ProtoOut().number(1, id).number(2, 10 + id);
          all.message(4, new ProtoOut().number(1, id).number(2, 1).message(4, line));
          all.message(
              5,
              new ProtoOut()
                  .number(1, id)
                  .number(2, string(name))
                  .number(3, string(name))
                  .number(4, string("/src/main.go")));
        });
    strings.forEach(text -> all.element(6, text));
    return all.toBytes();
  }

  /** A Push request of one profile. */
  public static byte[] push(byte[] profile, String... labels) {
    return pushWithId("", profile, labels);
  }

  public static byte[] pushWithId(String id, byte[] profile, String... labels) {
    ProtoOut series = new ProtoOut();
    for (int i = 0; i < labels.length; i += 2) {
      series.message(1, new ProtoOut().text(1, labels[i]).text(2, labels[i + 1]));
    }
    series.message(2, new ProtoOut().bytes(1, profile).text(2, id));
    return new ProtoOut().message(1, series).toBytes();
  }
}
