package dev.plumb.export;

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
public final class PerfScriptReader implements Reader {
  /** {@code comm pid/tid [cpu] flags seconds.fraction: period event: rest}. */
  private static final Pattern EVENT =
      Pattern.compile(
          "\\s*(?<comm>\\S.*?)\\s+(?<pid>-?\\d{1,10})(?:/(?<tid>-?\\d{1,10}))?\\s+"
              + "(?:\\[(?<cpu>\\d{1,5})\\]\\s+)?(?:[.a-zA-Z]{4,5}\\s+)?"
              + "(?<seconds>\\d{1,10})\\.(?<fraction>\\d{6,9}):\\s+"
              + "(?:(?<period>\\d{1,18})\\s+)?(?<event>\\S+):(?<rest>.*)");

  /** Names of commands and events are short; the pattern's time grows faster than the line. */
  private static final int MAX_EVENT_LINE = 1024;

  /** Event names as {@link PerfScriptWriter} makes them. */
  private static final Pattern OWN_EVENT =
      Pattern.compile("(\\w+)-(\\w+)-(nanoseconds|bytes|count|pages|microseconds)");

  /** Whether a line begins an event. */
  static boolean isEvent(String line) {
    return line.length() <= MAX_EVENT_LINE && EVENT.matcher(line).matches();
  }

  @Override
  public Reading read(InputStream in) throws IOException {
    return new Run().read(new LineReader(in));
  }

  /** One file. */
  private static final class Run {
    private static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000L - 1;

    private final Map<String, Events> events = new LinkedHashMap<>();
    private final Map<String, ThreadInfo> threads = new HashMap<>();
    private Events current;
    private ThreadInfo thread;
    private long time;
    private int cpu;
    private long period;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long unread;

    Reading read(LineReader lines) throws IOException {
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (line.isBlank()) {
          end();
        } else if (line.startsWith("#")) {
          continue;
        } else if (current != null && Character.isWhitespace(line.charAt(0))) {
          current.frame(line);
        } else {
          end();
          header(line);
        }
      }
      end();
      if (events.isEmpty()) {
        throw new FormatException(
            "no output of perf script: no line has a command, a pid, a time and an event");
      }
      List<String> warnings =
          unread == 0 ? List.of() : List.of("%d lines were not understood".formatted(unread));
      List<Profile> profiles = events.values().stream().map(Events::build).toList();
      return new Reading(new Recording(first, last - first, profiles, Map.of()), warnings);
    }

    private void header(String line) {
      Matcher matcher = EVENT.matcher(line);
      if (line.length() > MAX_EVENT_LINE || !matcher.matches()) {
        unread++;
        return;
      }
      String comm = matcher.group("comm");
      int pid = id(matcher.group("pid"));
      int tid = matcher.group("tid") == null ? pid : id(matcher.group("tid"));
      thread =
          threads.computeIfAbsent(
              pid + "/" + tid + " " + comm,
              key -> new ThreadInfo(pid, tid, pid, 0, comm, comm, ""));
      cpu = matcher.group("cpu") == null ? 0 : Integer.parseInt(matcher.group("cpu"));
      String fraction = (matcher.group("fraction") + "000").substring(0, 9);
      time =
          Math.addExact(
              Math.multiplyExact(
                  Math.min(Long.parseLong(matcher.group("seconds")), MAX_SECONDS), 1_000_000_000L),
              Long.parseLong(fraction));
      period = matcher.group("period") == null ? 1 : Long.parseLong(matcher.group("period"));
      current =
          events.computeIfAbsent(
              eventName(matcher.group("event")), event -> new Events(event, period));
      if (!matcher.group("rest").isBlank()) {
        current.frame(matcher.group("rest"));
      }
    }

    private static int id(String text) {
      long id = Long.parseLong(text);
      return id < 0 || id > Integer.MAX_VALUE ? 0 : (int) id;
    }

    /** Without the modifiers: {@code cycles:ppp}, but not {@code sched:sched_switch}. */
    private static String eventName(String event) {
      return event.replaceFirst(":[ukhppHGSDWIeb]{1,8}$", "");
    }

    private void end() {
      if (current != null) {
        first = Math.min(first, time);
        last = Math.max(last, time);
        current.end(thread, time, cpu, period);
        current = null;
      }
    }
  }

  /** What was seen of one event. */
  private static final class Events {
    private final TextProfile profile;
    private final boolean counted;
    private final CompactTimelineBuilder times = CompactTimeline.builder();
    private final Map<String, Integer> frameIds = new HashMap<>();

    /** Inlined frames wait for the one that holds them: it names the module. */
    private final List<PerfFrame> inlined = new ArrayList<>();

    private long sum;

    Events(String event, long period) {
      Matcher own = OWN_EVENT.matcher(event);
      boolean clock = event.equals("cpu-clock") || event.equals("task-clock");
      String mode = clock ? "cpu" : own.matches() ? own.group(1) : event;
      ValueType value =
          clock
              ? new ValueType("cpu", "nanoseconds")
              : own.matches()
                  ? new ValueType(own.group(2), own.group(3))
                  : new ValueType(event.replace(':', '_'), "count");
      List<ValueType> types =
          value.name().equals("samples")
              ? List.of(value)
              : List.of(new ValueType("samples", "count"), value);
      counted = types.size() == 2;
      String name = clock ? "process_cpu" : mode;
      profile =
          new TextProfile(
              new Profile.Builder(
                  mode, name, types, types.size() - 1, value, own.matches() ? 0 : period));
    }

    void frame(String line) {
      PerfFrame frame = PerfFrame.parse(line);
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

    void end(ThreadInfo thread, long time, int cpu, long period) {
      inlined.forEach(inner -> push(inner, ""));
      inlined.clear();
      int row = profile.row(thread);
      long value = Long.MAX_VALUE - sum < period ? 0 : period;
      sum += value;
      if (counted) {
        profile.add(row, 0, 1);
      }
      profile.add(row, counted ? 1 : 0, value);
      times.append(time, row, cpu, value);
    }

    Profile build() {
      return profile.build(times.build());
    }
  }
}
