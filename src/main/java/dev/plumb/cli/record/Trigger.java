package dev.plumb.cli.record;

import dev.plumb.linux.kernel.PressureTrigger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When to start recording: {@code RESOURCE:LEVEL:STALL_US:WINDOW_US}, e.g. {@code
 * io:some:150000:1000000} when some task stalls on I/O for 0.15 s within a second.
 */
record Trigger(String resource, String level, long stallMicros, long windowMicros) {
  private static final Pattern FORM =
      Pattern.compile("(cpu|memory|io):(some|full):(\\d{1,9}):(\\d{1,9})");

  static Trigger parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--trigger %s: use cpu|memory|io:some|full:STALL_US:WINDOW_US, e.g. io:some:150000:1000000"
              .formatted(text));
    }
    return new Trigger(
        matcher.group(1),
        matcher.group(2),
        Long.parseLong(matcher.group(3)),
        Long.parseLong(matcher.group(4)));
  }

  PressureTrigger open() {
    return PressureTrigger.open("/proc/pressure/" + resource, level, stallMicros, windowMicros);
  }
}
