package dev.plumb.linux;

import java.lang.foreign.Arena;

/** System calls on mounts and namespaces; see {@link SystemCalls}. */
public final class NamespaceCalls {
  private NamespaceCalls() {}

  /**
   * {@code int mount(const char *source, const char *target, const char *type, unsigned long flags,
   * NULL)}.
   */
  public static int tryMount(String source, String target, String type, long flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          Syscall.call(
              SyscallNumber.MOUNT,
              arena.allocateFrom(source).address(),
              arena.allocateFrom(target).address(),
              arena.allocateFrom(type).address(),
              flags,
              0,
              0);
    }
  }

  /** {@code int umount2(const char *target, int flags)}. */
  public static int tryUmount(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          Syscall.call(
              SyscallNumber.UMOUNT2, arena.allocateFrom(target).address(), flags, 0, 0, 0, 0);
    }
  }

  /**
   * Mounts a file system detached from any path: {@code fsopen(type, FSOPEN_CLOEXEC)}, {@code
   * fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)}, {@code fsmount(fs, FSMOUNT_CLOEXEC, 0)}. It
   * is reached through the descriptor only; closing that unmounts it.
   */
  public static Fd detachedMount(String type) {
    try (Arena arena = Arena.ofConfined()) {
      long context =
          Syscall.call(SyscallNumber.FSOPEN, arena.allocateFrom(type).address(), 1, 0, 0, 0, 0);
      Syscall.check(context, "fsopen(\"" + type + "\")");
      try (Fd fs = new Fd((int) context)) {
        Syscall.check(
            Syscall.call(SyscallNumber.FSCONFIG, fs.number(), 6 /* CMD_CREATE */, 0, 0, 0, 0),
            "fsconfig(" + type + ", FSCONFIG_CMD_CREATE)");
        long mount = Syscall.call(SyscallNumber.FSMOUNT, fs.number(), 1, 0, 0, 0, 0);
        Syscall.check(mount, "fsmount(" + type + ")");
        return new Fd((int) mount);
      }
    }
  }

  /** {@code int setns(int fd, int nstype)}. */
  public static int trySetns(Fd fd, int kind) {
    return (int) Syscall.call(SyscallNumber.SETNS, fd.number(), kind, 0, 0, 0, 0);
  }

  /** {@code int unshare(int flags)}. */
  public static int tryUnshare(int flags) {
    return (int) Syscall.call(SyscallNumber.UNSHARE, flags, 0, 0, 0, 0, 0);
  }
}
