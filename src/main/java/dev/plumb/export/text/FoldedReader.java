package dev.plumb.export.text;

import dev.plumb.export.file.LeftOut;
import dev.plumb.export.file.Reading;
import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.LineReader;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads folded stacks of any tool. The first frame is taken as the process, and marks give the
 * kinds of code. The text does not say what the numbers count, so they are taken as samples.
 */
public final class FoldedReader implements RecordingReader {
  /** {@code java-12/34}: some tools can write process and thread like this. */
  private static final Pattern COMM_PID_TID = Pattern.compile("(.+)-(\\d{1,9})/(\\d{1,9})");

  @Override
  public Reading read(InputStream in) throws IOException {
    return new Run().read(new LineReader(in));
  }

  /** One file. */
  private static final class Run {
    private final TextProfile profile =
        new TextProfile(
            new Profile.Builder(
                "samples",
                "samples",
                List.of(new ValueType("samples", "count")),
                0,
                new ValueType("samples", "count"),
                0));
    private final Map<String, Integer> frameIds = new HashMap<>();
    private final Map<String, ThreadInfo> threads = new HashMap<>();
    private final LeftOut leftOut = new LeftOut("no folded stacks as 'process;main;function 42'");
    private long goodLines;
    private long twoValues;
    private long total;

    Reading read(LineReader lines) throws IOException {
      for (String line = lines.next(); line != null; line = lines.next()) {
        if (line.isBlank() || line.startsWith("# ")) {
          continue;
        }
        if (line(line)) {
          goodLines++;
          leftOut.read();
          twoValues += hasTwoValues(line.stripTrailing()) ? 1 : 0;
        } else {
          leftOut.left(lines.number(), line);
        }
      }
      List<String> warnings = leftOut.warnings();
      if (goodLines == 0) {
        throw new FormatException(
            "no folded stacks: lines must look like 'process;main;function 42'");
      }
      if (twoValues == goodLines) {
        throw new FormatException(
            "this is a folded difference of two profiles; give one of the two profiles");
      }
      Recording recording = new Recording(0, 0, List.of(profile.build(Timeline.EMPTY)), Map.of());
      return new Reading(recording, warnings);
    }

    private boolean line(String line) {
      String trimmed = line.stripTrailing();
      int space = trimmed.lastIndexOf(' ');
      long value = space <= 0 ? -1 : value(trimmed, space + 1);
      if (value < 0 || Long.MAX_VALUE - total < value) {
        return false;
      }
      total += value;
      int end = trimmed.indexOf(';');
      int from = end < 0 || end > space ? space : end;
      String first = trimmed.substring(0, from);
      while (from < space) {
        int next = trimmed.indexOf(';', from + 1);
        int to = next < 0 || next > space ? space : next;
        profile.push(frame(trimmed.substring(from + 1, to)));
        from = to;
      }
      profile.reverse();
      int row = profile.row(threads.computeIfAbsent(first, Run::thread));
      profile.add(row, 0, value);
      return true;
    }

    private static boolean hasTwoValues(String line) {
      int last = line.lastIndexOf(' ');
      int first = line.lastIndexOf(' ', last - 1);
      return first > 0 && value(line.substring(0, last), first + 1) >= 0;
    }

    private int frame(String text) {
      return frameIds.computeIfAbsent(text, name -> profile.frame(decode(name)));
    }

    private static ThreadInfo thread(String comm) {
      Matcher matcher = COMM_PID_TID.matcher(comm);
      if (!matcher.matches()) {
        return new ThreadInfo(0, 0, 0, 0, comm, comm, "");
      }
      int pid = Integer.parseInt(matcher.group(2));
      int tid = Integer.parseInt(matcher.group(3));
      return new ThreadInfo(pid, tid, pid, 0, matcher.group(1), matcher.group(1), "");
    }

    /** The number from there on, rounded; -1 if there is none. */
    private static long value(String line, int from) {
      String text = line.substring(from);
      boolean digits = !text.isEmpty() && text.length() <= 18;
      boolean fraction = false;
      for (int i = 0; i < text.length() && digits; i++) {
        char c = text.charAt(i);
        digits = c >= '0' && c <= '9' || c == '.' && i > 0 && !fraction;
        fraction |= c == '.';
      }
      if (!digits) {
        return -1;
      }
      return fraction ? Math.round(Double.parseDouble(text)) : Long.parseLong(text);
    }
  }

  /** A frame from its folded text: the mark at its end gives the kind. */
  public static Frame decode(String text) {
    String name = text.length() > 4 ? text.substring(0, text.length() - 4) : text;
    boolean named = !text.startsWith("[unknown");
    boolean inlined = text.length() > 4 && text.endsWith("_[i]");
    FrameKind kind = FrameKind.NATIVE;
    if (text.length() > 4 && text.endsWith("_[k]")) {
      kind = FrameKind.KERNEL;
    } else if (text.length() > 4 && text.endsWith("_[j]")) {
      kind = FrameKind.JIT;
    } else if (!inlined) {
      name = text;
    }
    return new Frame(name, kind, inlined, named, "", "", 0, 0, "", 0);
  }
}
