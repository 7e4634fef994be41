package dev.plumb.linux.kernel;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcReader;
import java.util.Arrays;

/** The CPUs of this machine. */
public final class Cpus {
  private Cpus() {}

  /** The CPUs that are online. */
  public static int[] online() {
    return read("/sys/devices/system/cpu/online");
  }

  /** The CPUs that may ever come online: per-CPU maps have a value for each. */
  public static int[] possible() {
    return read("/sys/devices/system/cpu/possible");
  }

  /** The number of values in a per-CPU map: one more than the highest possible CPU number. */
  public static int possibleCount() {
    return Possible.COUNT;
  }

  /** It never changes while the kernel runs. */
  private static final class Possible {
    static final int COUNT = Arrays.stream(possible()).max().orElse(0) + 1;
  }

  private static int[] read(String file) {
    try (ProcReader reader = new ProcReader()) {
      int length = reader.at(file).readAll();
      if (length < 0) {
        throw new SyscallException("open(\"" + file + "\")", Errno.ENOENT, "mount /sys");
      }
      return parse(reader.cursor(length).rest().strip());
    }
  }

  /** A list as the kernel writes it: {@code 0-3,8,10-11}. */
  public static int[] parse(String list) {
    if (list.isEmpty()) {
      return new int[0];
    }
    int[] cpus = new int[16];
    int count = 0;
    for (String part : list.split(",")) {
      int dash = part.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
      for (int cpu = first; cpu <= last; cpu++) {
        if (count == cpus.length) {
          cpus = Arrays.copyOf(cpus, count * 2);
        }
        cpus[count++] = cpu;
      }
    }
    return Arrays.copyOf(cpus, count);
  }
}
