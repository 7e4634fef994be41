package dev.plumb.linux.perf;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An event source that the kernel describes under {@code /sys/bus/event_source/devices}. */
public final class PerfPmu {
  private static final Path DEVICES = Path.of("/sys/bus/event_source/devices");

  private final String name;
  private final int type;

  private PerfPmu(String name, int type) {
    this.name = name;
    this.type = type;
  }

  /** Whether this kernel has such an event source. */
  public static boolean exists(String name) {
    return Files.isReadable(DEVICES.resolve(name).resolve("type"));
  }

  public static PerfPmu named(String name) {
    try {
      String text = Files.readString(DEVICES.resolve(name).resolve("type")).strip();
      return new PerfPmu(name, Integer.parseInt(text));
    } catch (IOException | NumberFormatException e) {
      throw new SyscallException(
          "open(\"" + DEVICES.resolve(name).resolve("type") + "\")",
          Errno.ENOENT,
          "this kernel has no " + name + " event source");
    }
  }

  /** The number for {@link PerfEventAttr#of}. */
  public int type() {
    return type;
  }

  /** The lowest bit of config that belongs to the named field of the format. */
  public int firstBit(String field) {
    Path file = DEVICES.resolve(name).resolve("format").resolve(field);
    try {
      // "config:0", "config:32-63"
      String text = Files.readString(file).strip();
      String bits = text.substring(text.indexOf(':') + 1);
      int dash = bits.indexOf('-');
      return Integer.parseInt(dash < 0 ? bits : bits.substring(0, dash));
    } catch (IOException | NumberFormatException e) {
      throw new SyscallException(
          "open(\"" + file + "\")", Errno.ENOENT, "event source " + name + " has no " + field);
    }
  }

  long bit(String field) {
    return 1L << firstBit(field);
  }
}
