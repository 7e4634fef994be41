package dev.plumb.export.text;

import dev.plumb.export.file.ModuleNames;
import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Locale;

/**
 * Text as {@code perf script} prints it: an event a sample, its stack leaf first.
 *
 * <pre>
 * comm  pid/tid [cpu] seconds.micros:  period event:
 * &#9;         address symbol+0xoffset (module)
 * </pre>
 *
 * The period is the sample's value. What a row holds beyond its timed samples comes as further
 * events at the start of the recording: as many as it has samples, else one.
 */
public final class PerfScriptWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    Profile profile = options.profile(recording);
    Run run = new Run(recording, profile, options.type(profile), new TextOut(out));
    try {
      run.write();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** One file. */
  private static final class Run {
    private static final byte[] EMPTY_STACK =
        TextOut.utf8("\t0 " + PerfFrame.NO_STACK + " ([unknown])\n");

    private final long startNanos;
    private final Profile profile;
    private final StackTable stacks;
    private final int type;
    private final TextOut out;
    private final byte[][] lines;
    private final byte[][] comms;
    private final byte[] event;

    Run(Recording recording, Profile profile, int type, TextOut out) {
      this.startNanos = recording.startNanos();
      this.profile = profile;
      this.stacks = profile.stacks();
      this.type = type;
      this.out = out;
      this.lines = new byte[stacks.frames().size()][];
      this.comms = new byte[profile.threads().size()][];
      this.event = TextOut.utf8(" " + event(profile, type) + ": \n");
    }

    void write() throws IOException {
      long[] restValue = new long[profile.rows()];
      long[] restCount = new long[profile.rows()];
      int count = profile.countType().orElse(-1);
      for (int row = 0; row < restValue.length; row++) {
        restValue[row] = profile.value(row, type);
        restCount[row] = count >= 0 ? profile.value(row, count) : 1;
      }
      if (type == profile.mainType()) {
        timed(profile.timeline(), restValue, restCount);
      }
      boolean each = profile.period() > 0;
      for (int row = 0; row < restValue.length; row++) {
        long times = each ? Math.max(restCount[row], 1) : 1;
        for (long i = 0; i < times && restValue[row] != 0; i++) {
          long value = restValue[row] / (times - i);
          sample(startNanos, row, 0, value);
          restValue[row] -= value;
        }
      }
      out.flush();
    }

    private void timed(Timeline timeline, long[] restValue, long[] restCount) {
      timeline.forEach(
          (time, row, cpu, value) -> {
            try {
              sample(time, row, cpu, value);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            restValue[row] -= value;
            restCount[row]--;
          });
    }

    private void sample(long time, int row, int cpu, long value) throws IOException {
      int thread = profile.threadId(row);
      ThreadInfo info = profile.threads().get(thread);
      if (comms[thread] == null) {
        comms[thread] = TextOut.utf8(comm(info) + " " + info.pid() + "/" + info.tid() + " [");
      }
      out.bytes(comms[thread]);
      padded(cpu, 3);
      out.ascii(']').ascii(' ').number(Math.floorDiv(time, 1_000_000_000)).ascii('.');
      padded(Math.floorMod(time, 1_000_000_000) / 1000, 6);
      out.ascii(':').ascii(' ').number(value).bytes(event);
      stack(profile.stack(row), info.pid());
      out.ascii('\n');
    }

    private void stack(int stack, int pid) throws IOException {
      if (stacks.isEmpty(stack)) {
        out.bytes(EMPTY_STACK);
      }
      for (int at = stack; !stacks.isEmpty(at); at = stacks.caller(at)) {
        int id = stacks.leaf(at);
        if (lines[id] == null) {
          lines[id] = TextOut.utf8(line(stacks.frames().get(id)));
        }
        out.bytes(lines[id]);
        if (isMapped(stacks.frames().get(id))) {
          out.text("(/tmp/perf-").number(pid).text(".map)\n");
        }
      }
    }

    private void padded(long number, int digits) throws IOException {
      for (long limit = (long) Math.pow(10, digits - 1.0); limit > 1; limit /= 10) {
        if (number < limit) {
          out.ascii('0');
        }
      }
      out.number(number);
    }
  }

  private static String comm(ThreadInfo thread) {
    String text = clean(thread.comm());
    return text.isBlank() ? "[empty]" : text;
  }

  /** Code of a run-time compiler, which perf knows from a map file named after the process. */
  private static boolean isMapped(Frame frame) {
    return frame.kind() == FrameKind.JIT && frame.module().isEmpty() && !frame.inlined();
  }

  private static String line(Frame frame) {
    String name = frame.named() ? clean(frame.name()) : "[unknown]";
    if (frame.inlined()) {
      return String.format(Locale.ROOT, "\t%16x %s (inlined)\n", frame.elfAddress(), name);
    }
    String symbol = frame.named() ? name + "+0x" + Long.toHexString(frame.offset()) : name;
    String start = String.format(Locale.ROOT, "\t%16x %s ", frame.elfAddress(), symbol);
    if (isMapped(frame)) {
      return start;
    }
    String module = clean(ModuleNames.text(frame));
    String shown =
        switch (module) {
          case "" -> "[unknown]";
          case ModuleNames.KERNEL -> "[kernel.kallsyms]";
          default -> module;
        };
    return start + "(" + shown + ")\n";
  }

  private static String clean(String name) {
    StringBuilder text = new StringBuilder(name);
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        text.setCharAt(i, ' ');
      }
    }
    return text.toString().strip();
  }

  /** {@code cpu-clock} as perf has it; other modes say what they count. */
  static String event(Profile profile, int type) {
    ValueType value = profile.types().get(type);
    if (profile.mode().equals("cpu") && value.unit().equals("nanoseconds")) {
      return "cpu-clock";
    }
    return (profile.mode() + "-" + value.name() + "-" + value.unit()).replaceAll("[\\s:]", "_");
  }
}
