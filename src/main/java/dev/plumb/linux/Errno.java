package dev.plumb.linux;

/** Error numbers by name; the same on x86-64 and arm64 (asm-generic/errno.h). */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int E2BIG = 7;
  public static final int EBADF = 9;
  public static final int ECHILD = 10;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int ENOSYS = 38;
  public static final int EOPNOTSUPP = 95;

  /** Kernel-internal, but bpf(2) lets it through: "not supported". */
  public static final int ENOTSUPP = 524;

  private static final String[] NAMES = {
    "OK",
    "EPERM",
    "ENOENT",
    "ESRCH",
    "EINTR",
    "EIO",
    "ENXIO",
    "E2BIG",
    "ENOEXEC",
    "EBADF",
    "ECHILD",
    "EAGAIN",
    "ENOMEM",
    "EACCES",
    "EFAULT",
    "ENOTBLK",
    "EBUSY",
    "EEXIST",
    "EXDEV",
    "ENODEV",
    "ENOTDIR",
    "EISDIR",
    "EINVAL",
    "ENFILE",
    "EMFILE",
    "ENOTTY",
    "ETXTBSY",
    "EFBIG",
    "ENOSPC",
    "ESPIPE",
    "EROFS",
    "EMLINK",
    "EPIPE",
    "EDOM",
    "ERANGE",
    "EDEADLK",
    "ENAMETOOLONG",
    "ENOLCK",
    "ENOSYS",
    "ENOTEMPTY",
    "ELOOP"
  };

  private Errno() {}

  public static String name(int errno) {
    if (errno >= 0 && errno < NAMES.length) {
      return NAMES[errno];
    }
    return switch (errno) {
      case 61 -> "ENODATA";
      case 75 -> "EOVERFLOW";
      case EOPNOTSUPP -> "EOPNOTSUPP";
      case 110 -> "ETIMEDOUT";
      case 111 -> "ECONNREFUSED";
      case 122 -> "EDQUOT";
      case ENOTSUPP -> "ENOTSUPP";
      default -> "errno " + errno;
    };
  }
}
