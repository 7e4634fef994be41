package dev.plumb.export.text;

import dev.plumb.export.file.LeftOut;
import dev.plumb.export.file.Reading;
import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.LineReader;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code perf script} prints, with or without call chains; a profile for each event. */
public final class PerfScriptReader implements RecordingReader {
  /** Event names as {@link PerfScriptWriter} makes them. */
  private static final Pattern OWN_EVENT =
      Pattern.compile("(\\w+)-(\\w+)-(nanoseconds|bytes|count|pages|microseconds)");

  /** What {@link #isMostOf} looks at. */
  private static final int FIRST_LINES = 200;

  /** A line of source below a frame ({@code -F srcline, srccode}). */
  private static final Pattern SOURCE =
      Pattern.compile("  .*(?::\\d+|\\[\\p{XDigit}+\\])|\\|\\d+ .*");

  /** Whether most of a text's first lines are what perf script prints. */
  public static boolean isMostOf(String head) {
    Run run = new Run();
    long number = 0;
    for (String line : head.lines().limit(FIRST_LINES).toList()) {
      run.line(++number, line);
    }
    run.end();
    return run.isMostRead();
  }

  @Override
  public Reading read(InputStream in) throws IOException {
    return new Run().read(new LineReader(in));
  }

  /** One file. */
  private static final class Run {
    private final Map<String, Events> events = new LinkedHashMap<>();
    private final Map<String, ThreadInfo> threads = new HashMap<>();
    private final LeftOut leftOut = new LeftOut("this is no output of perf script");

    /** The sample whose frames may follow; null between samples. */
    private PerfHeader current;

    private Events currentEvents;

    /** A line that is the header of a sample only if frames follow, and its number. */
    private String pending = "";

    private long pendingNumber;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    Reading read(LineReader lines) throws IOException {
      for (String line = lines.next(); line != null; line = lines.next()) {
        line(lines.number(), line);
      }
      end();
      List<String> warnings = leftOut.warnings();
      if (events.isEmpty()) {
        throw new FormatException("no output of perf script: there is no sample in it");
      }
      List<Profile> profiles = events.values().stream().map(Events::build).toList();
      boolean timed = first <= last;
      return new Reading(
          new Recording(timed ? first : 0, timed ? last - first : 0, profiles, Map.of()), warnings);
    }

    boolean isMostRead() {
      return leftOut.isMostRead();
    }

    void line(long number, String line) {
      if (line.isBlank()) {
        end();
        return;
      }
      if (line.startsWith("# ") || line.equals("#")) {
        return;
      }
      // perf sets a tab before the frames below a header, and never before a header.
      PerfFrame frame = line.charAt(0) == '\t' ? PerfFrame.parse(line) : null;
      PerfHeader header = frame == null ? PerfHeader.parse(line) : null;
      if (frame == null && current != null && Character.isWhitespace(line.charAt(0))) {
        // A tab may have become blanks.
        boolean below = header == null || header.isBare() && !current.isBare();
        frame = below ? PerfFrame.parse(line) : null;
      }
      if (header != null && frame == null) {
        end();
        leftOut.read();
        begin(header);
      } else if (frame != null) {
        frame(number, line, frame);
      } else if (!SOURCE.matcher(line).matches()) {
        end();
        pending = line;
        pendingNumber = number;
      }
    }

    private void frame(long number, String line, PerfFrame frame) {
      if (current == null) {
        PerfHeader header = PerfHeader.beforeFrames(pending);
        if (header == null) {
          leftOut.left(number, line);
          return;
        }
        if (!pending.isEmpty()) {
          leftOut.read();
          pending = "";
        }
        begin(header);
      }
      leftOut.read();
      currentEvents.frame(frame);
    }

    private void begin(PerfHeader header) {
      if (header.isOtherRecord()) {
        return;
      }
      current = header;
      currentEvents =
          events.computeIfAbsent(
              header.event().isEmpty() ? "samples" : header.event(),
              event -> new Events(event, header.period()));
      currentEvents.frame(header.frame());
    }

    private void end() {
      if (!pending.isEmpty()) {
        leftOut.left(pendingNumber, pending);
        pending = "";
      }
      if (current == null) {
        return;
      }
      if (current.nanos() >= 0) {
        first = Math.min(first, current.nanos());
        last = Math.max(last, current.nanos());
      }
      String comm = current.comm().isEmpty() ? "[unknown]" : current.comm();
      int pid = current.pid();
      int tid = current.tid();
      ThreadInfo thread =
          threads.computeIfAbsent(
              pid + "/" + tid + " " + comm,
              key -> new ThreadInfo(pid, tid, pid, 0, comm, comm, ""));
      currentEvents.end(thread, current);
      current = null;
    }
  }

  /** What was seen of one event. */
  private static final class Events {
    private final TextProfile profile;
    private final boolean counted;
    private final boolean periods;
    private final CompactTimelineBuilder times = CompactTimeline.builder();
    private final Map<String, Integer> frameIds = new HashMap<>();

    /** Inlined frames wait for the one that holds them: it names the module. */
    private final List<PerfFrame> inlined = new ArrayList<>();

    private long sum;

    /**
     * @param period of its first sample; -1 if it is not printed, so that only samples can be
     *     counted. A tracepoint's event counts itself.
     */
    Events(String event, long period) {
      Matcher own = OWN_EVENT.matcher(event);
      boolean clock = event.equals("cpu-clock") || event.equals("task-clock");
      String mode = clock ? "cpu" : own.matches() ? own.group(1) : event;
      ValueType value =
          period < 0 && event.indexOf(':') < 0
              ? new ValueType("samples", "count")
              : clock
                  ? new ValueType("cpu", "nanoseconds")
                  : own.matches()
                      ? new ValueType(own.group(2), own.group(3))
                      : new ValueType(event.replace(':', '_'), "count");
      List<ValueType> types =
          value.name().equals("samples")
              ? List.of(value)
              : List.of(new ValueType("samples", "count"), value);
      counted = types.size() == 2;
      periods = period >= 0;
      String name = clock ? "process_cpu" : mode;
      long shown = own.matches() || !periods && !counted ? 0 : Math.max(period, 1);
      profile =
          new TextProfile(new Profile.Builder(mode, name, types, types.size() - 1, value, shown));
    }

    void frame(PerfFrame frame) {
      if (frame == null || frame.isNoStack()) {
        return;
      }
      if (frame.inlined()) {
        inlined.add(frame);
        return;
      }
      inlined.forEach(inner -> push(inner, frame.module()));
      inlined.clear();
      push(frame, frame.module());
    }

    private void push(PerfFrame frame, String module) {
      String key = frame.inlined() ? frame.text() + "\n" + module : frame.text();
      profile.push(frameIds.computeIfAbsent(key, k -> profile.frame(frame.toFrame(module))));
    }

    void end(ThreadInfo thread, PerfHeader header) {
      inlined.forEach(inner -> push(inner, ""));
      inlined.clear();
      int row = profile.row(thread);
      long period = periods && header.period() >= 0 ? header.period() : 1;
      long value = Long.MAX_VALUE - sum < period ? 0 : period;
      sum += value;
      if (counted) {
        profile.add(row, 0, 1);
      }
      profile.add(row, counted ? 1 : 0, value);
      if (header.nanos() >= 0) {
        times.append(header.nanos(), row, header.cpu(), value);
      }
    }

    Profile build() {
      return profile.build(times.build());
    }
  }
}
