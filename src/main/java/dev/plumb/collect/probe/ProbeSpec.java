package dev.plumb.collect.probe;

import dev.plumb.collect.code.ProbeException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A probe as a user words it. {@link #text} is how we word it ourselves. */
public sealed interface ProbeSpec {
  /** A tracepoint. */
  record Event(String category, String name) implements ProbeSpec {
    @Override
    public String text() {
      return "event:" + category + ":" + name;
    }
  }

  /** A system call, from its entry to its return. */
  record Syscall(String name) implements ProbeSpec {
    @Override
    public boolean timed() {
      return true;
    }

    @Override
    public String text() {
      return "syscall:" + name;
    }
  }

  /**
   * A function of a program or library, or an instruction in it.
   *
   * @param library a path or a name
   * @param function a symbol, mangled or not, or a pattern with {@code *} and {@code ?}
   * @param timed until it returns
   */
  record UserFunction(String library, String function, long offset, boolean timed)
      implements ProbeSpec {
    @Override
    public String text() {
      return (timed ? "uretprobe:" : "uprobe:")
          + library
          + ":"
          + function
          + (offset == 0 ? "" : "+" + offset);
    }
  }

  /**
   * A probe that a program's author put there.
   *
   * @param provider {@code *} for any
   */
  record Usdt(String library, String provider, String name) implements ProbeSpec {
    @Override
    public String text() {
      return "usdt:" + library + ":" + provider + ":" + name;
    }
  }

  /** How to get at a kernel function. */
  enum KernelWay {
    KPROBE,
    FENTRY,
    /** Whichever there is. */
    ANY
  }

  /** A kernel function. */
  record KernelFunction(String function, KernelWay way, boolean timed) implements ProbeSpec {
    @Override
    public String text() {
      return switch (way) {
            case KPROBE -> timed ? "kretprobe:" : "kprobe:";
            case FENTRY -> timed ? "fexit:" : "fentry:";
            case ANY -> "";
          }
          + function;
    }
  }

  /** One of perf's counters: the CPU's, or the kernel's own. */
  record Counter(PerfCounter counter) implements ProbeSpec {
    @Override
    public String text() {
      return counter.text();
    }
  }

  /** As it can be written again. */
  String text();

  /** Whether it has an end, so that it takes time. */
  default boolean timed() {
    return false;
  }

  /** What can be written, for messages. */
  String FORMS =
      "event:CATEGORY:NAME, syscall:NAME, uprobe:LIB:FUNCTION, uretprobe:LIB:FUNCTION, "
          + "usdt:LIB:PROVIDER:NAME, kprobe:FUNCTION, kretprobe:FUNCTION, fentry:FUNCTION, "
          + "fexit:FUNCTION, sw:NAME, hw:NAME";

  Pattern WITH_OFFSET = Pattern.compile("(.*[^+])\\+(0[xX][0-9a-fA-F]{1,15}|[0-9]{1,18})");
  Pattern NAME = Pattern.compile("[A-Za-z0-9_.*?\\-]+");
  Pattern KERNEL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

  /** Whether a mode is worded as a probe. */
  static boolean isProbe(String mode) {
    return mode.indexOf(':') >= 0;
  }

  /** Reads what a user wrote; a word without a colon is a kernel function. */
  static ProbeSpec parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      return kernel(text, text, KernelWay.ANY, true);
    }
    String rest = text.substring(colon + 1);
    return switch (text.substring(0, colon)) {
      case "event", "tracepoint", "t" -> event(text, rest);
      case "syscall" -> new Syscall(name(text, rest, "syscall:NAME, e.g. syscall:read"));
      case "uprobe" -> userFunction(text, rest, false);
      case "uretprobe", "p" -> userFunction(text, rest, true);
      case "usdt", "u" -> usdt(text, rest);
      case "kprobe" -> kernel(text, rest, KernelWay.KPROBE, false);
      case "kretprobe" -> kernel(text, rest, KernelWay.KPROBE, true);
      case "fentry" -> kernel(text, rest, KernelWay.FENTRY, false);
      case "fexit" -> kernel(text, rest, KernelWay.FENTRY, true);
      case "sw" -> counter(text, false, rest);
      case "hw" -> counter(text, true, rest);
      default -> throw new ProbeException("'" + text + "': no such kind of probe; write " + FORMS);
    };
  }

  private static ProbeSpec event(String text, String rest) {
    List<String> parts = parts(rest);
    if (parts.size() != 2) {
      throw wrong(text, "event:CATEGORY:NAME, e.g. event:sched:sched_process_exec");
    }
    String form = "event:CATEGORY:NAME; `plumb list events` shows what there is";
    return new Event(name(text, parts.get(0), form), name(text, parts.get(1), form));
  }

  /** A library's path has no colon; a C++ function's name may have some. */
  private static ProbeSpec userFunction(String text, String rest, boolean timed) {
    int colon = rest.indexOf(':');
    if (colon <= 0 || colon == rest.length() - 1) {
      String kind = text.substring(0, text.indexOf(':'));
      throw wrong(text, kind + ":LIB:FUNCTION, e.g. " + kind + ":libc.so.6:malloc");
    }
    String library = rest.substring(0, colon);
    String function = rest.substring(colon + 1);
    Matcher matcher = WITH_OFFSET.matcher(function);
    if (!matcher.matches()) {
      return new UserFunction(library, function, 0, timed);
    }
    if (timed) {
      throw new ProbeException(
          "'" + text + "': a function returns once; write uprobe: to count an instruction in it");
    }
    return new UserFunction(library, matcher.group(1), Long.decode(decimal(matcher)), false);
  }

  /** Long.decode takes a leading zero for octal. */
  private static String decimal(Matcher matcher) {
    String number = matcher.group(2);
    return number.startsWith("0x") || number.startsWith("0X")
        ? number
        : number.replaceFirst("^0+(?=.)", "");
  }

  private static ProbeSpec usdt(String text, String rest) {
    List<String> parts = parts(rest);
    String form = "usdt:LIB:PROVIDER:NAME; `plumb list probes FILE` shows what there is";
    if (parts.size() < 2 || parts.size() > 3) {
      throw wrong(text, form);
    }
    String provider = parts.size() == 2 ? "*" : name(text, parts.get(1), form);
    if (parts.getFirst().isEmpty()) {
      throw wrong(text, form);
    }
    return new Usdt(parts.getFirst(), provider, name(text, parts.getLast(), form));
  }

  private static ProbeSpec kernel(String text, String function, KernelWay way, boolean timed) {
    if (!KERNEL_NAME.matcher(function).matches()) {
      throw wrong(text, "a kernel function's name, e.g. kprobe:vfs_read");
    }
    return new KernelFunction(function, way, timed);
  }

  private static ProbeSpec counter(String text, boolean hardware, String name) {
    Optional<PerfCounter> found = PerfCounter.named(hardware, name);
    return new Counter(
        found.orElseThrow(
            () ->
                new ProbeException(
                    "'%s': no such counter; there are %s"
                        .formatted(text, String.join(", ", PerfCounter.names(hardware))))));
  }

  private static List<String> parts(String rest) {
    return List.of(rest.split(":", -1));
  }

  private static String name(String text, String name, String form) {
    if (!NAME.matcher(name).matches()) {
      throw wrong(text, form);
    }
    return name;
  }

  private static ProbeException wrong(String text, String form) {
    return new ProbeException("'" + text + "': write " + form);
  }
}
