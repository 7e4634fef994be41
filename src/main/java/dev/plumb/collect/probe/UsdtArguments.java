package dev.plumb.collect.probe;

import dev.plumb.collect.probe.Argument.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads how compilers word where a USDT probe's arguments are: {@code -4@%edi 8@-16(%rbp) 4@$5
 * 8@counter(%rip) 8@(%rax,%rbx,8)}; on arm64 {@code -4@w0 8@[sp, 16] 4@5}.
 */
final class UsdtArguments {
  /** One word; arm64's have spaces between brackets. */
  private static final Pattern ONE =
      Pattern.compile("(?:(-?[0-9]{1,2})(f?)@)?([^\\s\\[]*\\[[^\\]]*\\]|\\S+)");

  private static final Pattern X86_MEMORY =
      Pattern.compile("([^()%]*)\\((?:%([a-z0-9]+))?(?:,\\s*%([a-z0-9]+)(?:,\\s*([1248]))?)?\\)");

  private static final Pattern ARM_MEMORY =
      Pattern.compile("\\[\\s*([a-z0-9]+)\\s*(?:,\\s*#?(-?[0-9]{1,9}))?\\s*\\]");

  private static final Pattern TERM =
      Pattern.compile("([+-]?)\\s*(0x[0-9a-fA-F]{1,15}|[0-9]{1,18}|[A-Za-z_.$][A-Za-z0-9_.$@]*)");

  /** Addresses by symbol, relative to the probe's instruction. */
  private final Function<String, Optional<Long>> distances;

  private final boolean arm;

  UsdtArguments(boolean arm, Function<String, Optional<Long>> distances) {
    this.arm = arm;
    this.distances = distances;
  }

  /** As many as there are, those that cannot be read as {@link Kind#NONE}. */
  List<Argument> parse(String text) {
    List<Argument> arguments = new ArrayList<>();
    Matcher matcher = ONE.matcher(text.length() > 4096 ? "" : text);
    while (matcher.find() && arguments.size() < 12) {
      String name = "arg" + arguments.size();
      arguments.add(one(name, matcher).orElse(unknown(name)));
    }
    return arguments;
  }

  private static Argument unknown(String name) {
    return new Argument(name, Kind.NONE, 0, 0, Argument.NO_REGISTER, 0, 8, false);
  }

  private Optional<Argument> one(String name, Matcher matcher) {
    int size = matcher.group(1) == null ? 8 : Integer.parseInt(matcher.group(1));
    boolean isFloat = matcher.group(2) != null && !matcher.group(2).isEmpty();
    int bytes = Math.abs(size);
    if (isFloat || bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
      return Optional.empty();
    }
    boolean signed = size < 0;
    return arm
        ? armPlace(name, matcher.group(3), bytes, signed)
        : x86Place(name, matcher.group(3), bytes, signed);
  }

  private Optional<Argument> x86Place(String name, String text, int bytes, boolean signed) {
    if (text.startsWith("$")) {
      return offset(text.substring(1), false)
          .map(v -> new Argument(name, Kind.CONSTANT, v, 0, 0xffff, 0, bytes, signed));
    }
    if (text.startsWith("%")) {
      return PtRegs.x86(text.substring(1))
          .map(r -> new Argument(name, Kind.REGISTER, 0, r, 0xffff, 0, bytes, signed));
    }
    Matcher memory = X86_MEMORY.matcher(text);
    if (!memory.matches() || memory.group(2) == null) {
      return Optional.empty();
    }
    boolean relative = memory.group(2).equals("rip");
    Optional<Long> offset = offset(memory.group(1), relative);
    Optional<Integer> base =
        relative ? Optional.of(PtRegs.x86("ip").orElseThrow()) : PtRegs.x86(memory.group(2));
    Optional<Integer> index =
        memory.group(3) == null ? Optional.of(Argument.NO_REGISTER) : PtRegs.x86(memory.group(3));
    int shift =
        memory.group(4) == null
            ? 0
            : Integer.numberOfTrailingZeros(Integer.parseInt(memory.group(4)));
    if (offset.isEmpty() || base.isEmpty() || index.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Argument(
            name, Kind.MEMORY, offset.get(), base.get(), index.get(), shift, bytes, signed));
  }

  private Optional<Argument> armPlace(String name, String text, int bytes, boolean signed) {
    Optional<Integer> register = PtRegs.arm(text);
    if (register.isPresent()) {
      return register.map(r -> new Argument(name, Kind.REGISTER, 0, r, 0xffff, 0, bytes, signed));
    }
    Matcher memory = ARM_MEMORY.matcher(text);
    if (memory.matches()) {
      long offset = memory.group(2) == null ? 0 : Long.parseLong(memory.group(2));
      return PtRegs.arm(memory.group(1))
          .map(r -> new Argument(name, Kind.MEMORY, offset, r, 0xffff, 0, bytes, signed));
    }
    return offset(text, false)
        .map(v -> new Argument(name, Kind.CONSTANT, v, 0, 0xffff, 0, bytes, signed));
  }

  /** A sum of numbers and at most one symbol; nothing is 0. */
  private Optional<Long> offset(String text, boolean symbols) {
    long sum = 0;
    int at = 0;
    Matcher term = TERM.matcher(text);
    while (at < text.length()) {
      if (!term.find(at) || term.start() != at) {
        return Optional.empty();
      }
      String word = term.group(2);
      long value;
      if (Character.isDigit(word.charAt(0))) {
        value =
            word.startsWith("0x") ? Long.parseLong(word.substring(2), 16) : Long.parseLong(word);
      } else {
        Optional<Long> distance = symbols ? distances.apply(word) : Optional.empty();
        if (distance.isEmpty()) {
          return Optional.empty();
        }
        value = distance.get();
      }
      sum += term.group(1).equals("-") ? -value : value;
      at = term.end();
    }
    return Optional.of(sum);
  }
}
