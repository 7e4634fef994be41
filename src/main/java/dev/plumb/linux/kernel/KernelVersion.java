package dev.plumb.linux.kernel;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcReader;

/** A kernel release such as {@code 6.1.0-18-cloud-amd64}. */
public record KernelVersion(int major, int minor, int patch, String release)
    implements Comparable<KernelVersion> {

  /** The version of the running kernel. */
  public static KernelVersion current() {
    try (ProcReader reader = new ProcReader()) {
      int length = reader.at("/proc/sys/kernel/osrelease").readAll();
      if (length < 0) {
        throw new SyscallException(
            "open(\"/proc/sys/kernel/osrelease\")", Errno.ENOENT, "mount /proc");
      }
      return parse(reader.cursor(length).rest().strip());
    }
  }

  /** Missing parts count as 0. */
  public static KernelVersion parse(String release) {
    int[] numbers = new int[3];
    int at = 0;
    for (int i = 0; i < 3; i++) {
      while (at < release.length() && Character.digit(release.charAt(at), 10) >= 0) {
        numbers[i] = numbers[i] * 10 + Character.digit(release.charAt(at++), 10);
      }
      if (at >= release.length() || release.charAt(at) != '.') {
        break;
      }
      at++;
    }
    return new KernelVersion(numbers[0], numbers[1], numbers[2], release);
  }

  public boolean isAtLeast(int wantedMajor, int wantedMinor) {
    return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
  }

  /** LINUX_VERSION_CODE: the patch level has one byte there. */
  public int code() {
    return major << 16 | minor << 8 | Math.min(patch, 255);
  }

  /** By the three numbers. */
  @Override
  public int compareTo(KernelVersion other) {
    return major != other.major
        ? Integer.compare(major, other.major)
        : minor != other.minor
            ? Integer.compare(minor, other.minor)
            : Integer.compare(patch, other.patch);
  }

  @Override
  public String toString() {
    return release;
  }
}
