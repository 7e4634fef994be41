package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.bpf.BpfException;
import dev.plumb.bpf.Collection;
import dev.plumb.bpf.CollectionSpec;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.linux.ProcMaps;
import dev.plumb.linux.ProcNamespaces;
import dev.plumb.linux.ProcReader;
import dev.plumb.linux.SyscallException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The real return addresses of calls whose returns are probed. A probe replaces them on the stack
 * by an address of its own, in the page {@code [uprobes]}; the kernel keeps the real ones with the
 * thread, where only a BPF program can read them ({@code returns.bpf.c}).
 *
 * <pre>
 * 0 u64 the probe's address   8 u64 where on the stack it is   16 u64 the real address
 * </pre>
 *
 * Read while the process stands still: later the thread may be in another call that has its return
 * address in the same place.
 */
final class ProbedReturns implements AutoCloseable {
  private static final String PAGE = "[uprobes]";
  private static final int RECORD_BYTES = 24;

  private final Collection programs;
  private final Link iterator;
  private byte[] records = {};

  private ProbedReturns(Collection programs, Link iterator) {
    this.programs = programs;
    this.iterator = iterator;
  }

  /** Empty if nothing in the process was probed, or if we may not read it. */
  static Optional<ProbedReturns> of(ProcReader reader, int pid) {
    boolean[] probed = new boolean[1];
    try {
      ProcMaps.forEach(reader, pid, line -> probed[0] |= line.pathStartsWith(PAGE));
      if (!probed[0]) {
        return Optional.empty();
      }
      return Optional.of(overOne(pid));
    } catch (BpfException | SyscallException e) {
      return ofAll(reader, pid, probed[0]);
    }
  }

  private static ProbedReturns overOne(int pid) {
    Collection programs = Collection.load(KernelSide.read("returns"));
    try {
      return new ProbedReturns(programs, Links.iterProcess(programs.program("list_returns"), pid));
    } catch (RuntimeException e) {
      programs.close();
      throw e;
    }
  }

  /** Before Linux 6.1, over all threads of the machine; a pid has to be the host's for that. */
  private static Optional<ProbedReturns> ofAll(ProcReader reader, int pid, boolean probed) {
    if (!probed || !ProcNamespaces.isHosts(reader, "pid")) {
      return Optional.empty();
    }
    try {
      CollectionSpec spec = KernelSide.read("returns");
      spec.setVariable("wanted_tgid", pid);
      Collection programs = Collection.load(spec);
      return Optional.of(new ProbedReturns(programs, Links.iter(programs.program("list_returns"))));
    } catch (BpfException | SyscallException e) {
      return Optional.empty();
    }
  }

  /** Of all threads, as they are now. */
  void read() {
    records = iterator.readIterator();
  }

  /** Puts the real addresses where a copied stack has the probe's. */
  void restore(StackCopy stack) {
    MemorySegment all = MemorySegment.ofArray(records);
    for (long at = 0; at + RECORD_BYTES <= all.byteSize(); at += RECORD_BYTES) {
      stack.replace(
          all.get(JAVA_LONG_UNALIGNED, at + 8),
          all.get(JAVA_LONG_UNALIGNED, at),
          all.get(JAVA_LONG_UNALIGNED, at + 16));
    }
  }

  @Override
  public void close() {
    iterator.close();
    programs.close();
  }
}
