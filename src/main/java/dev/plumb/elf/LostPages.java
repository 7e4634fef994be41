package dev.plumb.elf;

import java.util.function.Supplier;

/**
 * Turns the loss of a mapped page, because somebody truncated the file, into {@link ElfException}.
 *
 * <p>HotSpot turns the SIGBUS of such a read into an InternalError, but compiled code sees it only
 * at its next safepoint poll. That may be after the reading method has returned, so a try block
 * around the read alone can miss it. Therefore a guard ends with a call into the VM, which always
 * delivers a pending error (about 16 ns when compiled).
 */
public final class LostPages {
  private static final Object ANY = new Object();

  private LostPages() {}

  /** Runs a reader of mapped bytes; {@code what} names them in the message. */
  public static <T> T guard(String what, Supplier<T> reader) {
    try {
      try {
        return reader.get();
      } finally {
        deliver();
      }
    } catch (InternalError e) {
      throw new ElfException(what + ": the file lost a page while it was read", e);
    }
  }

  /** Calls a native method that is not an intrinsic: its return delivers a pending error. */
  private static void deliver() {
    Thread.holdsLock(ANY);
  }
}
