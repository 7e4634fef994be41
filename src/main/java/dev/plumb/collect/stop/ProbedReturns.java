package dev.plumb.collect.stop;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.Program;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The real return addresses of calls whose returns are probed. A return probe replaces the address
 * on the stack with one in the page {@code [uprobes]}; the kernel keeps the real one in the
 * thread's task, where only a BPF program can read it ({@code returns.bpf.c}).
 *
 * <pre>
 * 0 u64 the probe's address   8 u64 where on the stack it is   16 u64 the real address
 * </pre>
 *
 * Must be read while the process is stopped: later, the thread may be in another call whose return
 * address is in the same place.
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
      return probed[0] ? Optional.of(load(reader, pid)) : Optional.empty();
    } catch (BpfException | SyscallException e) {
      return Optional.empty();
    }
  }

  private static ProbedReturns load(ProcReader reader, int pid) {
    // The kernel's number of the process, which is ours only in the host's namespace.
    boolean isHosts = ProcNamespaces.isHosts(reader, "pid");
    CollectionSpec spec = KernelPrograms.read("returns");
    spec.setVariable("wanted_tgid", isHosts ? pid : 0);
    Collection programs = Collection.load(spec);
    try {
      return new ProbedReturns(programs, iterator(programs.program("list_returns"), pid, isHosts));
    } catch (RuntimeException e) {
      programs.close();
      throw e;
    }
  }

  /** Over the process; before Linux 6.1 over all, of which the program takes the wanted one. */
  private static Link iterator(Program program, int pid, boolean isHosts) {
    try {
      return Links.iterProcess(program, pid);
    } catch (BpfException | SyscallException e) {
      if (!isHosts) {
        throw e;
      }
      return Links.iter(program);
    }
  }

  /** The replaced addresses of all threads, as they are now. */
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
