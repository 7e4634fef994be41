package dev.plumb.export;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Recognises files that Plumb cannot read but people try to open, and says what to do with them.
 */
final class ForeignFormats {
  /**
   * A kind of file.
   *
   * @param name with its article
   * @param remedy a command that makes a file that Plumb reads, if there is one
   */
  private record Kind(String name, String remedy, Predicate<Head> test) {}

  /** A file's first bytes, and the same as text. */
  private record Head(byte[] bytes, String text) {
    boolean begins(String magic) {
      return text.startsWith(magic);
    }
  }

  private static final String PPROF = "convert it with: go tool pprof -proto -output x.pb.gz FILE";
  private static final String ORIGINAL = "give the profile that it was made from";

  private static final List<Kind> BINARY =
      List.of(
          of(
              "a perf.data file",
              "convert it with: perf script -i FILE > x.perf",
              head ->
                  head.begins("PERFILE2") || head.begins("2ELIFREP") || head.begins("PERFFILE")),
          of(
              "a JFR recording",
              "convert it with async-profiler's: jfrconv -o collapsed FILE x.folded",
              head -> head.begins("FLR\0")),
          of(
              "a CPU profile of gperftools",
              "convert it with: go tool pprof -proto -output x.pb.gz PROGRAM FILE",
              head -> isGperftools(head.bytes())),
          of("profiles in OpenTelemetry's form", ORIGINAL, head -> isOtlp(head.bytes())),
          of(
              "a program, library or core file (ELF)",
              "record the program with: plumb record -- FILE",
              head -> head.begins("\u007fELF")),
          of(
              "a Java heap dump",
              "it holds objects, not stacks",
              head -> head.begins("JAVA PROFILE")),
          of(
              "a Java class",
              "it holds no profile",
              head -> head.begins("\u00ca\u00fe\u00ba\u00be")),
          of(
              "a database of SQLite",
              "export the profile with the tool that made it",
              head -> head.begins("SQLite format 3")),
          of(
              "a database of DuckDB",
              "if plumb serve made it: plumb export cpu -o x.plumb --store FOLDER",
              head -> head.text().startsWith("DUCK", 8)),
          of(
              "a trace of trace-cmd",
              "convert it with: trace-cmd report FILE",
              head -> head.begins("\u0017\u0008Dtracing")),
          of("zstd data", "unpack it with: zstd -d FILE", head -> head.begins("(\u00b5/\u00fd")),
          of("xz data", "unpack it with: xz -d FILE", head -> head.begins("\u00fd7zXZ")),
          of("bzip2 data", "unpack it with: bzip2 -d FILE", head -> head.begins("BZh")),
          of("a zip archive", "unpack it with: unzip FILE", head -> head.begins("PK\u0003\u0004")),
          of(
              "a tar archive",
              "unpack it with: tar -xf FILE",
              head -> head.text().startsWith("ustar", 257)));

  private static final List<Kind> TEXT =
      List.of(
          of(
              "a heap profile in pprof's old text form",
              PPROF,
              head -> starts(head, "heap profile: |heap_v2/|--- heapz |--- growthz |heapprofile")),
          of(
              "a contention profile in pprof's old text form",
              PPROF,
              head -> starts(head, "--- contention|--- mutex|--- contentionz ")),
          of(
              "a text of Go's stacks",
              "fetch the profile without debug=1 or debug=2",
              head -> starts(head, "\\w+ profile: total \\d+|goroutine \\d+ \\[")),
          of("a thread profile in pprof's old text form", PPROF, head -> starts(head, "--- \\w+ ")),
          of("speedscope's JSON", ORIGINAL, head -> isJson(head, "speedscope")),
          of(
              "a trace in Chrome's JSON",
              ORIGINAL,
              head -> isJson(head, "\"traceEvents\"|\"ph\"\\s*:")),
          of(
              "a profile in Firefox's JSON",
              ORIGINAL,
              head -> isJson(head, "\"preprocessedProfileVersion\"|\"libs\"\\s*:|\"geckoVersion")),
          of("a CPU profile of V8", ORIGINAL, head -> isJson(head, "\"callFrame\"")),
          of("a JSON file", ORIGINAL, head -> isJson(head, "")),
          of("a picture (SVG)", ORIGINAL, head -> markup(head, "<svg")),
          of("a page (HTML)", ORIGINAL, head -> markup(head, "<!doctype html|<html")),
          of(
              "a profile of callgrind",
              "Plumb does not read it",
              head -> starts(head, "# callgrind format|version: 1\\s+creator: callgrind")),
          of(
              "a profile of massif",
              "Plumb does not read it",
              head -> starts(head, "desc: .*\\s+cmd: ")),
          of(
              "a text block for Stack_Analyzer",
              ORIGINAL,
              head -> starts(head, "time:\\S+\\s+counts:")),
          of(
              "an output of bpftrace",
              "fold it with FlameGraph's stackcollapse-bpftrace.pl",
              head -> starts(head, "(?:Attach\\w+ \\d+ probes?\\S*\\s+)?@\\w*\\[")));

  private ForeignFormats() {}

  private static Kind of(String name, String remedy, Predicate<Head> test) {
    return new Kind(name, remedy, test);
  }

  /** What the file is, and what to do; empty if it is none of these. */
  static Optional<String> binary(byte[] head) {
    return first(BINARY, head);
  }

  static Optional<String> text(byte[] head) {
    return first(TEXT, head);
  }

  private static Optional<String> first(List<Kind> kinds, byte[] bytes) {
    Head head = new Head(bytes, new String(bytes, StandardCharsets.ISO_8859_1));
    return kinds.stream()
        .filter(kind -> kind.test().test(head))
        .findFirst()
        .map(kind -> "this is %s; %s".formatted(kind.name(), kind.remedy()));
  }

  private static boolean starts(Head head, String pattern) {
    return Pattern.compile("\\s*(?:" + pattern + ")").matcher(head.text()).lookingAt();
  }

  private static boolean markup(Head head, String pattern) {
    String start = head.text().substring(0, Math.min(head.text().length(), 1024));
    return start.stripLeading().startsWith("<")
        && Pattern.compile(pattern, Pattern.CASE_INSENSITIVE).matcher(start).find();
  }

  /** An object or a list of objects, with a word of that kind near its start. */
  private static boolean isJson(Head head, String pattern) {
    return starts(head, "\\{\\s*[\"}]|\\[\\s*[{\\]]")
        && Pattern.compile(pattern).matcher(head.text()).find();
  }

  /** The first message holds a message; that of pprof, a sample type, holds numbers. */
  private static boolean isOtlp(byte[] head) {
    int at = 1;
    while (at < head.length && head[at] < 0) {
      at++;
    }
    return head[0] == 0x0a
        && at + 1 < head.length
        && head[at] != 0
        && (head[at + 1] == 0x0a || head[at + 1] == 0x12);
  }

  /**
   * Words of the machine: 0, 3 (words that follow), 0 (the version), the microseconds between
   * samples, 0.
   */
  private static boolean isGperftools(byte[] head) {
    for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
      ByteBuffer words = ByteBuffer.wrap(head).order(order);
      boolean wide =
          head.length >= 40
              && words.getLong(0) == 0
              && words.getLong(8) == 3
              && words.getLong(16) == 0
              && words.getLong(32) == 0;
      boolean narrow =
          head.length >= 20
              && words.getInt(0) == 0
              && words.getInt(4) == 3
              && words.getInt(8) == 0
              && words.getInt(16) == 0;
      if (wide || narrow) {
        return true;
      }
    }
    return false;
  }
}
