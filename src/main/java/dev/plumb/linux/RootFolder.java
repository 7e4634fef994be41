package dev.plumb.linux;

import java.util.Optional;

/**
 * A folder that is the root of paths, as if it were {@code /}: our own root, or a container's by
 * {@code /proc/PID/root}. No symbolic link and no {@code ..} leads out of it (openat2 with
 * RESOLVE_IN_ROOT, Linux 5.6), so a container cannot make us read the host's files.
 */
public final class RootFolder implements AutoCloseable {
  private final Fd folder;
  private final String name;

  private RootFolder(Fd folder, String name) {
    this.folder = folder;
    this.name = name;
  }

  /** Empty if there is no such folder, or access is denied. */
  public static Optional<RootFolder> open(String folder) {
    int fd = SystemCalls.tryOpen(folder, SystemCalls.O_PATH | SystemCalls.O_DIRECTORY, 0);
    return fd < 0 ? Optional.empty() : Optional.of(new RootFolder(new Fd(fd), folder));
  }

  /**
   * Opens a regular file in it for reading; anything else, such as a fifo or a device, counts as
   * missing. It opens without blocking, so that a fifo cannot stop us.
   */
  public Optional<Fd> openFile(String path) {
    int number =
        SystemCalls.tryOpenInRoot(folder, path, SystemCalls.O_RDONLY | SystemCalls.O_NONBLOCK);
    if (number < 0) {
      return Optional.empty();
    }
    Fd fd = new Fd(number);
    if (!SystemCalls.fileStatus(fd).isRegular()) {
      fd.close();
      return Optional.empty();
    }
    return Optional.of(fd);
  }

  /** Which folder this is. */
  public FileIdentity identity() {
    return SystemCalls.statx(folder);
  }

  /** The folder's path, for messages. */
  public String name() {
    return name;
  }

  @Override
  public void close() {
    folder.close();
  }
}
