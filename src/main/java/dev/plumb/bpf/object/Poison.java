package dev.plumb.bpf.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stand-ins for instructions that make no sense on this kernel: calls of helpers that no kernel
 * has. The verifier does not mind them in code that is never reached, such as behind
 * bpf_core_field_exists; where they are reached, it complains about the number, from which we know
 * what was missing.
 */
public final class Poison {
  /** The number that other loaders use too, so that people who know them recognise it. */
  private static final int FIRST = 195896080;

  private static final Pattern COMPLAINT = Pattern.compile("invalid func unknown#(\\d+)");

  private final List<String> missing = new ArrayList<>();

  /** An instruction that fails verification if it is reached. */
  long call(String what) {
    int index = missing.indexOf(what);
    if (index < 0) {
      index = missing.size();
      missing.add(what);
    }
    return Instruction.of(Instruction.CALL, 0, 0, 0, FIRST + index);
  }

  /** What is missing, if a verifier log complains about one of the calls. */
  public Optional<String> explain(String log) {
    Matcher matcher = COMPLAINT.matcher(log);
    Optional<String> found = Optional.empty();
    while (matcher.find()) {
      long index = Long.parseLong(matcher.group(1)) - FIRST;
      if (index >= 0 && index < missing.size()) {
        found = Optional.of(missing.get((int) index));
      }
    }
    return found;
  }
}
