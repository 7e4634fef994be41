package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.Poison;
import dev.plumb.bpf.object.SourceLines;
import dev.plumb.linux.Errno;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the telling line of a verifier log, and the source line that it is about. */
final class VerifierLog {
  /** Statistics that come after the reason, and remarks that are not the reason. */
  private static final Pattern NOT_TELLING =
      Pattern.compile(
          "processed \\d+ insns.*|verification time .*|stack depth .*|mark_precise: .*|peak_states.*"
              + "|.*total_states \\d+.*|\\(zext\\)");

  /** {@code 12: (85) call bpf_map_lookup_elem#1}. */
  private static final Pattern INSTRUCTION = Pattern.compile("(\\d{1,8}): \\([0-9a-f]{2}\\).*");

  private VerifierLog() {}

  static BpfException refusal(
      String program, int errno, String log, Poison poison, SourceLines lines) {
    String source = source(log, lines).map(line -> ", at " + line).orElse("");
    Optional<String> missing = poison.explain(log);
    if (missing.isPresent()) {
      return new VerifierException(
          "program " + program + ": this kernel does not have " + missing.get() + source, log);
    }
    String telling = tellingLine(log);
    if (telling.isEmpty()) {
      return new BpfException(
          "program " + program + ": the kernel refused it: " + Errno.name(errno) + remedy(errno));
    }
    return new VerifierException(
        "program " + program + ": " + telling + " (" + Errno.name(errno) + ")" + source, log);
  }

  private static String remedy(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          "; needs CAP_BPF and CAP_PERFMON (or root), and the kernel not locked down";
      case Errno.EINVAL -> "; this kernel may not have that kind of program";
      default -> "";
    };
  }

  static String tellingLine(String log) {
    List<String> lines = log.lines().map(String::strip).toList();
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      if (!line.isEmpty() && !NOT_TELLING.matcher(line).matches()) {
        return line;
      }
    }
    return "";
  }

  /**
   * The last source line in the log, which the kernel marks by a semicolon, with its place. Since
   * 6.9 the kernel says the place; for others we know it from the last instruction in the log.
   */
  static Optional<String> source(String log, SourceLines lines) {
    Optional<String> text =
        log.lines()
            .map(String::strip)
            .filter(line -> line.startsWith("; "))
            .reduce((first, second) -> second)
            .map(line -> line.substring(2).strip());
    if (text.isPresent() && text.get().contains(" @ ")) {
      return Optional.of("\"" + text.get() + "\"");
    }
    Optional<String> place =
        log.lines()
            .map(INSTRUCTION::matcher)
            .filter(Matcher::matches)
            .reduce((first, second) -> second)
            .flatMap(matcher -> lines.at(Integer.parseInt(matcher.group(1))));
    return text.map(line -> "\"" + line + place.map(where -> " @ " + where).orElse("") + "\"");
  }
}
