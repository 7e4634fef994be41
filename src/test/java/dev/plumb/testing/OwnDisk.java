package dev.plumb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** A block device that nobody else uses: a file behind a loop device. */
public final class OwnDisk implements AutoCloseable {
  private static final Path FOLDER = Path.of("target/disk");

  private final Path file;
  private final Path device;

  private OwnDisk(Path file, Path device) {
    this.file = file;
    this.device = device;
  }

  /**
   * @param bytes how large it is
   */
  public static OwnDisk make(long bytes) throws IOException {
    Files.createDirectories(FOLDER);
    Path file =
        FOLDER.toAbsolutePath().resolve("own-disk-" + ThreadLocalRandom.current().nextInt(1 << 30));
    Programs.run("truncate", "-s", "" + bytes, file.toString());
    // Two calls, because not every losetup can find and set up in one and say which.
    Path device = Path.of(Programs.run("losetup", "-f").strip());
    Programs.run("losetup", device.toString(), file.toString());
    return new OwnDisk(file, device);
  }

  /** Where to read and write. */
  public Path path() {
    return device;
  }

  /** As {@code /proc/diskstats} calls it. */
  public String name() {
    return device.getFileName().toString();
  }

  @Override
  public void close() throws IOException {
    Programs.run("losetup", "-d", device.toString());
    Files.delete(file);
  }
}
