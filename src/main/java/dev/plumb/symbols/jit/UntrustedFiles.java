package dev.plumb.symbols.jit;

import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileStatus;
import dev.plumb.linux.SystemCalls;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Opens files that somebody else put where we look: regular files of an owner we trust to name that
 * code, reached by no link that leads out of a root. They are first opened by path only, which does
 * nothing to a pipe or a device.
 */
final class UntrustedFiles {
  /** A rename on the way makes openat2 give up; it may do so for ever. */
  private static final int TRIES = 8;

  /** No user has this number. */
  private static final int ANYBODY = -1;

  private final Consumer<String> problems;

  UntrustedFiles(Consumer<String> problems) {
    this.problems = problems;
  }

  /** Below a root, which may be {@code /proc/PID/root}; the last part may be no link. */
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
   * By a path of {@code /proc} that leads to the very file, such as {@code map_files}: a process
   * has it mapped, so whose it is does not matter.
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
