package dev.plumb.collect.mode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The names of block devices by their numbers: {@code vda} and the like. */
final class BlockDevices {
  private static final int MINOR_BITS = 20;

  private final Map<Integer, String> names = new HashMap<>();

  /**
   * @param device the kernel's dev_t: {@code major << 20 | minor}
   */
  String name(int device) {
    return names.computeIfAbsent(device, BlockDevices::read);
  }

  private static String read(int device) {
    int major = device >>> MINOR_BITS;
    int minor = device & ((1 << MINOR_BITS) - 1);
    String numbers = major + ":" + minor;
    try {
      // A link: …/block/vda
      Path target = Files.readSymbolicLink(Path.of("/sys/dev/block/" + numbers)).getFileName();
      return target == null ? numbers : target.toString();
    } catch (IOException e) {
      return device == 0 ? "[no device]" : numbers;
    }
  }
}
