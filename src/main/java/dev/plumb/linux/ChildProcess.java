package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A command that we run: started without a fork of this large process, with our standard streams,
 * our environment and default signals. {@link java.lang.ProcessBuilder} will not do: it runs a
 * helper program first, which we would profile too, and the JVM, not we, would be told how the
 * command ended.
 */
public final class ChildProcess {
  private static final int WNOHANG = 1;
  private static final int WEXITED = 4;
  private static final int CLD_EXITED = 1;
  private static final int SIGCHLD = 17;
  private static final short SPAWN_SETSIGDEF = 4;
  private static final short SPAWN_SETSIGMASK = 8;

  /** glibc's largest of the opaque types is posix_spawnattr_t, 336 bytes. */
  private static final int OPAQUE_SIZE = 512;

  private final int pid;
  private OptionalInt exitCode = OptionalInt.empty();

  private ChildProcess(int pid) {
    this.pid = pid;
  }

  /** Starts a command, found by PATH. */
  public static ChildProcess start(List<String> command) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argv = arena.allocate(ADDRESS, command.size() + 1L);
      for (int i = 0; i < command.size(); i++) {
        argv.setAtIndex(ADDRESS, i, arena.allocateFrom(command.get(i)));
      }
      MemorySegment pid = arena.allocate(JAVA_INT);
      keepExitCodes();
      int errno =
          (int)
              PosixSpawnp.HANDLE.invokeExact(
                  pid,
                  argv.get(ADDRESS, 0),
                  closeInherited(arena),
                  defaultSignals(arena),
                  argv,
                  environment());
      if (errno != 0) {
        throw new SyscallException(
            "posix_spawnp(" + command.getFirst() + ")",
            errno,
            errno == Errno.ENOENT ? "no such command; is it on PATH?" : "");
      }
      return new ChildProcess(pid.get(JAVA_INT, 0));
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  public int pid() {
    return pid;
  }

  /** How it ended, if it has: its exit code, or 128 + the signal that ended it. Does not wait. */
  public OptionalInt exitCode() {
    if (exitCode.isEmpty()) {
      try (Arena arena = Arena.ofConfined()) {
        // siginfo_t: si_code at 8, si_pid at 16, si_status at 24
        MemorySegment info = arena.allocate(128, 8);
        long result = ProcessCalls.tryWaitid(pid, info, WEXITED | WNOHANG);
        if (result == 0 && info.get(JAVA_INT, 16) == pid) {
          int status = info.get(JAVA_INT, 24);
          exitCode = OptionalInt.of(info.get(JAVA_INT, 8) == CLD_EXITED ? status : 128 + status);
        } else if (result == -Errno.ECHILD) {
          exitCode = OptionalInt.of(0);
        }
      }
    }
    return exitCode;
  }

  /** We may have inherited an ignored SIGCHLD; then the kernel would keep no exit codes for us. */
  private static void keepExitCodes() throws Throwable {
    MemorySegment ignored = (MemorySegment) Signal.HANDLE.invokeExact(SIGCHLD, MemorySegment.NULL);
  }

  /** The child must not inherit the JVM's descriptors; glibc can close them since 2.34. */
  private static MemorySegment closeInherited(Arena arena) throws Throwable {
    MemorySegment actions = arena.allocate(OPAQUE_SIZE, 16);
    int ignored = (int) FileActionsInit.HANDLE.invokeExact(actions);
    if (AddClosefrom.HANDLE.isPresent()) {
      ignored = (int) AddClosefrom.HANDLE.get().invokeExact(actions, 3);
    }
    return actions;
  }

  /** The JVM ignores and blocks some signals, which the child would inherit. */
  private static MemorySegment defaultSignals(Arena arena) throws Throwable {
    MemorySegment attributes = arena.allocate(OPAQUE_SIZE, 16);
    int ignored = (int) AttrInit.HANDLE.invokeExact(attributes);
    ignored =
        (int)
            AttrSetFlags.HANDLE.invokeExact(
                attributes, (short) (SPAWN_SETSIGDEF | SPAWN_SETSIGMASK));
    MemorySegment all = arena.allocate(128, 8);
    all.set(JAVA_LONG, 0, -1L);
    ignored = (int) AttrSetSigdefault.HANDLE.invokeExact(attributes, all);
    ignored = (int) AttrSetSigmask.HANDLE.invokeExact(attributes, arena.allocate(128, 8));
    return attributes;
  }

  /** {@code extern char **environ}. */
  private static MemorySegment environment() {
    AddressLayout pointer = ADDRESS.withTargetLayout(ADDRESS);
    return symbols().find("environ").orElseThrow().reinterpret(8).get(pointer, 0);
  }

  private static SymbolLookup symbols() {
    return Linker.nativeLinker().defaultLookup();
  }

  private static MethodHandle link(String name, MemoryLayout... arguments) {
    return linkIfThere(name, arguments).orElseThrow();
  }

  private static Optional<MethodHandle> linkIfThere(String name, MemoryLayout... arguments) {
    return symbols()
        .find(name)
        .map(
            symbol ->
                Linker.nativeLinker()
                    .downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, arguments)));
  }

  /**
   * {@code int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *, const
   * posix_spawnattr_t *, char *const argv[], char *const envp[])}.
   */
  private static final class PosixSpawnp {
    static final MethodHandle HANDLE =
        link("posix_spawnp", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  }

  /** {@code sighandler_t signal(int signum, sighandler_t handler)}; NULL is SIG_DFL. */
  private static final class Signal {
    static final MethodHandle HANDLE =
        Linker.nativeLinker()
            .downcallHandle(
                symbols().find("signal").orElseThrow(),
                FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));
  }

  /** {@code int posix_spawn_file_actions_init(posix_spawn_file_actions_t *)}. */
  private static final class FileActionsInit {
    static final MethodHandle HANDLE = link("posix_spawn_file_actions_init", ADDRESS);
  }

  /** {@code int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int)}. */
  private static final class AddClosefrom {
    static final Optional<MethodHandle> HANDLE =
        linkIfThere("posix_spawn_file_actions_addclosefrom_np", ADDRESS, JAVA_INT);
  }

  /** {@code int posix_spawnattr_init(posix_spawnattr_t *)}. */
  private static final class AttrInit {
    static final MethodHandle HANDLE = link("posix_spawnattr_init", ADDRESS);
  }

  /** {@code int posix_spawnattr_setflags(posix_spawnattr_t *, short)}. */
  private static final class AttrSetFlags {
    static final MethodHandle HANDLE = link("posix_spawnattr_setflags", ADDRESS, JAVA_SHORT);
  }

  /** {@code int posix_spawnattr_setsigdefault(posix_spawnattr_t *, const sigset_t *)}. */
  private static final class AttrSetSigdefault {
    static final MethodHandle HANDLE = link("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
  }

  /** {@code int posix_spawnattr_setsigmask(posix_spawnattr_t *, const sigset_t *)}. */
  private static final class AttrSetSigmask {
    static final MethodHandle HANDLE = link("posix_spawnattr_setsigmask", ADDRESS, ADDRESS);
  }
}
