package dev.plumb.bpf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many CPUs the kernel keeps room for: the values of a per-CPU map. */
final class PossibleCpus {
  private static final Path FILE = Path.of("/sys/devices/system/cpu/possible");
  private static final int COUNT = read();

  private PossibleCpus() {}

  static int count() {
    return COUNT;
  }

  private static int read() {
    try {
      return parse(Files.readString(FILE).strip());
    } catch (IOException e) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  /** {@code 0-3}, {@code 0,2-5}: one more than the highest. */
  static int parse(String list) {
    String last = list.substring(list.lastIndexOf(',') + 1);
    return Integer.parseInt(last.substring(last.lastIndexOf('-') + 1)) + 1;
  }
}
