package dev.plumb.bpf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The running kernel's version. Only for messages and externs: features are tried, not looked up.
 */
record KernelVersion(int major, int minor, int patch) {
  private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?.*");
  private static final KernelVersion CURRENT = read();

  static KernelVersion current() {
    return CURRENT;
  }

  private static KernelVersion read() {
    try {
      return parse(Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip());
    } catch (IOException e) {
      return new KernelVersion(0, 0, 0);
    }
  }

  static KernelVersion parse(String text) {
    Matcher matcher = NUMBERS.matcher(text);
    if (!matcher.matches()) {
      return new KernelVersion(0, 0, 0);
    }
    String patch = matcher.group(3);
    return new KernelVersion(
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        patch == null ? 0 : Integer.parseInt(patch));
  }

  boolean isAtLeast(String version) {
    KernelVersion other = parse(version);
    return major != other.major ? major > other.major : minor >= other.minor;
  }

  /** LINUX_VERSION_CODE: the patch level has one byte there. */
  int code() {
    return major << 16 | minor << 8 | Math.min(patch, 255);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
