package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.plumb.bpf.BpfAttr.IteratorCreate;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A program at work: attached until this is closed, or the process ends. */
public final class Link implements AutoCloseable {
  private static final int CHUNK = 1 << 16;

  private final String what;
  private final Optional<Fd> fd;
  private final List<AutoCloseable> owned;

  Link(String what, Optional<Fd> fd, List<AutoCloseable> owned) {
    this.what = what;
    this.fd = fd;
    this.owned = owned;
  }

  /** The link's descriptor; empty where the kernel attaches without one. */
  public Optional<Fd> fd() {
    return fd;
  }

  /** Runs an iterator to its end and gives its output away in pieces, each valid in the call. */
  public void readIterator(Consumer<MemorySegment> pieces) {
    Fd link = fd.orElseThrow(() -> new BpfException(what + " is not an iterator"));
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr = BpfAttr.in(arena).put(IteratorCreate.LINK_FD, link.number());
      try (Fd run = attr.open(BpfCalls.ITER_CREATE, "ITER_CREATE, " + what)) {
        MemorySegment buffer = arena.allocate(CHUNK);
        while (true) {
          long n = SystemCalls.tryRead(run.number(), buffer);
          if (n == 0) {
            return;
          }
          if (n > 0) {
            pieces.accept(buffer.asSlice(0, n));
          } else if (n != -Errno.EAGAIN) {
            throw new SyscallException("read(" + what + ")", (int) -n);
          }
        }
      }
    }
  }

  /** All of an iterator's output. */
  public byte[] readIterator() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    readIterator(piece -> all.writeBytes(piece.toArray(JAVA_BYTE)));
    return all.toByteArray();
  }

  @Override
  public void close() {
    fd.ifPresent(Fd::close);
    for (AutoCloseable part : owned) {
      try {
        part.close();
      } catch (Exception e) {
        throw new BpfException("cannot detach " + what, e);
      }
    }
  }

  @Override
  public String toString() {
    return what;
  }
}
