package dev.plumb.elf;

import java.util.function.Supplier;

/**
 * Turns the loss of a mapped page (somebody truncated the file) into {@link ElfException}.
 *
 * <p>HotSpot answers the SIGBUS of such a read with an InternalError, but compiled code sees it
 * only at its next safepoint poll, which may be after the method that read has returned: a try
 * block around the read alone misses it. So a guard ends with a call into the VM, where a pending
 * error is always delivered (about 16 ns when compiled).
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

  /** A native method that is no intrinsic: the return from it delivers what is pending. */
  private static void deliver() {
    Thread.holdsLock(ANY);
  }
}
