package dev.plumb.symbols.jit;

import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileStatus;
import dev.plumb.linux.SystemCalls;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Opens files that other users may have put where we look for them. It accepts only regular files
 * whose owner may name that code, and follows no link out of the root. It opens each with O_PATH
 * first, which has no effect on a pipe or a device.
 */
final class UntrustedFiles {
  /** A rename on the path makes openat2 fail with EAGAIN, possibly again and again. */
  private static final int TRIES = 8;

  /** Not the id of any user. */
  private static final int ANYBODY = -1;

  private final Consumer<String> problems;

  UntrustedFiles(Consumer<String> problems) {
    this.problems = problems;
  }

  /** Opens a path below a root such as {@code /proc/PID/root}; the last part must not be a link. */
  Optional<Fd> open(String root, String path, int owner) {
    int number = SystemCalls.tryOpen(root, SystemCalls.O_PATH | SystemCalls.O_DIRECTORY, 0);
    if (number < 0) {
      return Optional.empty();
    }
    try (Fd rootFd = new Fd(number)) {
      int flags = SystemCalls.O_PATH | SystemCalls.O_NOFOLLOW;
      int found = SystemCalls.tryOpenInRoot(rootFd, path, flags);
      for (int i = 0; found == -Errno.EAGAIN && i < TRIES; i++) {
        found = SystemCalls.tryOpenInRoot(rootFd, path, flags);
      }
      return found < 0 ? Optional.empty() : openFound(found, root + path, owner);
    }
  }

  /**
   * Opens a path in {@code /proc} that leads directly to a file, such as one in {@code map_files}.
   * The process has mapped the file, so its owner does not matter.
   */
  Optional<Fd> openLink(String link) {
    int found = SystemCalls.tryOpen(link, SystemCalls.O_PATH, 0);
    return found < 0 ? Optional.empty() : openFound(found, link, ANYBODY);
  }

  private Optional<Fd> openFound(int number, String shown, int owner) {
    try (Fd found = new Fd(number)) {
      FileStatus status = SystemCalls.fileStatus(found);
      if (!status.isRegular()) {
        problems.accept(shown + " is not a regular file");
        return Optional.empty();
      }
      if (owner != ANYBODY && status.uid() != 0 && status.uid() != owner) {
        problems.accept(
            shown + " belongs to user " + status.uid() + ", the process to user " + owner);
        return Optional.empty();
      }
      int opened =
          SystemCalls.tryOpen(
              "/proc/self/fd/" + found.number(), SystemCalls.O_RDONLY | SystemCalls.O_NONBLOCK, 0);
      if (opened < 0) {
        problems.accept(shown + " cannot be read: " + Errno.name(-opened));
        return Optional.empty();
      }
      return Optional.of(new Fd(opened));
    }
  }
}
