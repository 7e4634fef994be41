package dev.plumb.linux;

/** A system call failed: which one, its arguments, errno by name, and what to do about it. */
public final class SyscallException extends RuntimeException {
  private final String call;
  private final int errno;

  public SyscallException(String call, int errno, String remedy) {
    super(call + ": " + Errno.name(errno) + (remedy.isEmpty() ? "" : "; " + remedy));
    this.call = call;
    this.errno = errno;
  }

  public SyscallException(String call, int errno) {
    this(call, errno, usualRemedy(errno));
  }

  /** The call with its arguments, e.g. {@code open("/x", O_RDONLY)}. */
  public String call() {
    return call;
  }

  public int errno() {
    return errno;
  }

  private static String usualRemedy(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES -> "run as root, or see `plumb doctor` for what is missing";
      case Errno.EMFILE -> "raise the limit of open files (ulimit -n)";
      case Errno.ENOSPC -> "free some disk space, or write elsewhere";
      case Errno.ENOMEM -> "free some memory, or raise the memory limit of this cgroup";
      case Errno.ENOSYS -> "this kernel does not have the call; see `plumb doctor`";
      default -> "";
    };
  }
}
