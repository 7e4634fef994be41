package dev.plumb.export.text;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The line with which {@code perf script} begins a sample. Which fields it has, the user chooses
 * ({@code -F}); their order and widths are perf's.
 *
 * @param comm empty if it is not printed
 * @param pid 0 if it is not printed
 * @param nanos the time, or -1 if it is not printed
 * @param period -1 if it is not printed
 * @param event empty if it is not printed
 * @param rest what follows: the only frame, or what a tracepoint says
 */
record PerfHeader(
    String comm, int pid, int tid, int cpu, long nanos, long period, String event, String rest) {
  /** Commands and events have short names; the patterns' time grows faster than the line. */
  private static final int MAX_LENGTH = 300;

  /** The kernel's TASK_COMM_LEN, without the byte that ends the name. */
  private static final int MAX_COMM = 15;

  private static final String COMM_PID =
      "(?:(?<comm>\\S.*?)\\s+)?(?<pid>-?\\d{1,10})(?:/(?<tid>-?\\d{1,10})\\s*)?";
  private static final String CPU = "(?:\\[(?<cpu>\\d{1,5})\\]\\s+)?";

  /** No number, which would be a count; {@code :} ends it only before a blank. */
  private static final String EVENT = "(?<event>[^\\s\\d]\\S*):(?=\\s|$)";

  /** A frame follows on the line: a blank and an address in sixteen columns. */
  private static final String FRAME = "(?= [ \\p{XDigit}]{15}\\p{XDigit}(?: |$))";

  /** {@code comm pid/tid [cpu] flags seconds.fraction: period event:}. */
  private static final Pattern TIMED =
      Pattern.compile(
          "\\s*(?:%s\\s+|(?<alone>\\S.*?)\\s+)?".formatted(COMM_PID)
              + CPU
              + "(?:(?=\\S*[.a-zA-Z])[.+a-zA-Z0-9]{1,8}\\s+)?"
              + "(?<seconds>\\d{1,10})\\.(?<fraction>\\d{6}|\\d{9}):(?=\\s|$)"
              + "(?:\\s*(?:(?<period>\\d{1,18})\\s+)?%s)?".formatted(EVENT));

  /** The same without a time; perf gives the period ten columns. */
  private static final Pattern UNTIMED =
      Pattern.compile(
          "\\s*%s ".formatted(COMM_PID)
              + CPU
              + "(?:(?=[ \\d]{10}) *(?<period>\\d{1,18}) )? *"
              + EVENT);

  /** Neither time nor event; that perf gives a pid five columns tells it from a comm's end. */
  private static final String PROCESS =
      "\\s*(?:(?<comm>\\S.*?) )?(?= {4}\\d| {3}\\d\\d| {2}\\d{3}| \\d{4}|\\d{5})"
          + " *(?<pid>\\d{1,10})(?:/(?<tid>\\d{1,10}) *)?";

  private static final Pattern PROCESS_FRAME = Pattern.compile(PROCESS + " " + FRAME);

  private static final Pattern PROCESS_ALONE = Pattern.compile(PROCESS + "\\s*$");

  private static final Pattern COMM_FRAME = Pattern.compile("(?:\\s*(?<comm>\\S.*?) )?" + FRAME);

  private static final List<Pattern> PATTERNS = List.of(TIMED, UNTIMED, PROCESS_FRAME, COMM_FRAME);

  private static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000L - 1;

  /** The sample that a line begins, or null if it begins none. */
  static PerfHeader parse(String line) {
    for (Pattern pattern : PATTERNS) {
      Matcher matcher = start(pattern, line);
      if (matcher.lookingAt()) {
        PerfHeader header = of(matcher, line.substring(matcher.end()));
        if (header.isOfPerf()) {
          return header;
        }
      }
    }
    return null;
  }

  private static Matcher start(Pattern pattern, String line) {
    return pattern
        .matcher(line)
        .region(0, Math.min(line.length(), MAX_LENGTH))
        .useTransparentBounds(true)
        .useAnchoringBounds(false);
  }

  /** What ends the line is a frame, or said by an event with a time or of a tracepoint. */
  private boolean isOfPerf() {
    return rest.isBlank()
        || !event.isEmpty() && (nanos >= 0 || event.indexOf(':') > 0)
        || isOtherRecord()
        || frame() != null;
  }

  /** A notice of perf's, which is printed if asked for: no sample. */
  boolean isOtherRecord() {
    return (event.isEmpty() ? rest.strip() : event).startsWith("PERF_RECORD_");
  }

  /** Whether it is nothing but a frame. */
  boolean isBare() {
    return comm.isEmpty() && pid == 0 && nanos < 0 && event.isEmpty();
  }

  /** The frame on the line itself, or null. */
  PerfFrame frame() {
    return PerfFrame.flat(rest);
  }

  /** The same of a line whose frames follow, so that it may be a command alone. */
  static PerfHeader beforeFrames(String line) {
    if (line.isBlank()) {
      return new PerfHeader("", 0, 0, 0, -1, -1, "", "");
    }
    Matcher matcher = start(PROCESS_ALONE, line);
    if (matcher.lookingAt()) {
      return of(matcher, "");
    }
    String comm = line.strip();
    return comm.length() <= MAX_COMM ? new PerfHeader(comm, 0, 0, 0, -1, -1, "", "") : null;
  }

  private static PerfHeader of(Matcher fields, String rest) {
    String comm = group(fields, "comm", group(fields, "alone", ""));
    int pid = id(group(fields, "pid", "0"));
    String tid = group(fields, "tid", "");
    int cpu = Integer.parseInt(group(fields, "cpu", "0"));
    long nanos = -1;
    String seconds = group(fields, "seconds", "");
    if (!seconds.isEmpty()) {
      String fraction = (fields.group("fraction") + "000").substring(0, 9);
      nanos =
          Math.min(Long.parseLong(seconds), MAX_SECONDS) * 1_000_000_000L
              + Long.parseLong(fraction);
    }
    return new PerfHeader(
        comm,
        pid,
        tid.isEmpty() ? pid : id(tid),
        cpu,
        nanos,
        Long.parseLong(group(fields, "period", "-1")),
        eventName(group(fields, "event", "")),
        rest);
  }

  private static String group(Matcher fields, String name, String otherwise) {
    Integer number = fields.namedGroups().get(name);
    String text = number == null ? null : fields.group(number);
    return text == null ? otherwise : text;
  }

  private static int id(String text) {
    long id = Long.parseLong(text);
    return id < 0 || id > Integer.MAX_VALUE ? 0 : (int) id;
  }

  /** Without the modifiers: {@code cycles:ppp}, but not {@code sched:sched_switch}. */
  private static String eventName(String event) {
    return event.replaceFirst(":[ukhpHGSDWIeb]{1,8}$", "");
  }
}
