package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import java.util.Optional;

/** Makes maps, with what differs between kernels. */
final class MapCreation {
  private static final int RLIMIT_MEMLOCK = 8;
  private static final long UNLIMITED = -1;

  private MapCreation() {}

  static BpfMap create(MapSpec spec, int btfFd, Optional<BpfMap> inner) {
    int entries = maxEntries(spec);
    int innerFd = inner.map(BpfMap::fd).orElse(0);
    int types = MapType.takesTypes(spec.type()) ? btfFd : 0;
    long result = BpfCalls.tryMapCreate(spec, entries, innerFd, types);
    if (result == -Errno.EPERM && raiseLockLimit()) {
      result = BpfCalls.tryMapCreate(spec, entries, innerFd, types);
    }
    if (result < 0 && types > 0) {
      // Types are for people who look at the map; it works without them.
      result = BpfCalls.tryMapCreate(spec, entries, innerFd, 0);
    }
    if (result < 0) {
      throw refusal(spec, entries, (int) -result);
    }
    return new BpfMap(new Fd((int) result), spec, entries);
  }

  private static RuntimeException refusal(MapSpec spec, int entries, int errno) {
    if (MapType.isRingBuffer(spec.type()) && !Feature.RING_BUFFER.present()) {
      return Feature.RING_BUFFER.missing();
    }
    String call =
        "bpf(MAP_CREATE, map "
            + spec.name()
            + ", type "
            + spec.type()
            + ", key "
            + spec.keySize()
            + ", value "
            + spec.valueSize()
            + ", entries "
            + entries
            + ", flags 0x"
            + Integer.toHexString(spec.flags())
            + ")";
    return new BpfException(new SyscallException(call, errno).getMessage());
  }

  /** Before 5.11 the memory of maps counts as locked memory. */
  private static boolean raiseLockLimit() {
    return ProcessCalls.trySetrlimit(RLIMIT_MEMLOCK, UNLIMITED) == 0;
  }

  /** A ring buffer is a power of two of pages; a perf event array has one entry a CPU. */
  private static int maxEntries(MapSpec spec) {
    if (spec.type() == MapType.PERF_EVENT_ARRAY && spec.maxEntries() == 0) {
      return Cpus.possibleCount();
    }
    if (!MapType.isRingBuffer(spec.type())) {
      return spec.maxEntries();
    }
    long wanted = Integer.toUnsignedLong(spec.maxEntries());
    long size = SystemCalls.PAGE_SIZE;
    while (size < wanted && size < 1L << 31) {
      size *= 2;
    }
    return (int) size;
  }
}
