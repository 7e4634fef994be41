package dev.plumb.bpf;

import dev.plumb.bpf.BpfAttr.MapElement;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A map in the kernel. Keys and values are memory that the caller owns; of a per-CPU map a value is
 * one for each possible CPU, each rounded up to eight bytes.
 */
public final class BpfMap implements AutoCloseable {
  /** For {@link #update}: whether there may or must be such a key already. */
  public static final long ANY = 0;

  public static final long NO_EXIST = 1;
  public static final long EXIST = 2;

  private static final int F_DUPFD_CLOEXEC = 1030;

  private final Fd fd;
  private final String name;
  private final int type;
  private final int keySize;
  private final int valueSize;
  private final int valueStride;
  private final int maxEntries;
  private final int flags;
  private MappedMemory memory;

  BpfMap(Fd fd, MapSpec spec, int maxEntries) {
    this.fd = fd;
    this.name = spec.name();
    this.type = spec.type();
    this.keySize = spec.keySize();
    this.valueSize = spec.valueSize();
    this.valueStride =
        MapType.isPerCpu(type) ? (valueSize + 7) / 8 * 8 * Cpus.possibleCount() : valueSize;
    this.maxEntries = maxEntries;
    this.flags = spec.flags();
  }

  /** Makes a map that belongs to no object. */
  public static BpfMap create(MapSpec spec) {
    return MapCreation.create(spec, 0, Optional.empty());
  }

  private BpfMap(BpfMap original, Fd fd) {
    this.fd = fd;
    this.name = original.name;
    this.type = original.type;
    this.keySize = original.keySize;
    this.valueSize = original.valueSize;
    this.valueStride = original.valueStride;
    this.maxEntries = original.maxEntries;
    this.flags = original.flags;
  }

  /** The same map by a descriptor of its own, to be closed for itself. */
  public BpfMap duplicate() {
    long copy = SystemCalls.tryFcntl(fd.number(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
      throw new SyscallException("fcntl(" + fd + ", F_DUPFD_CLOEXEC)", (int) -copy);
    }
    return new BpfMap(this, new Fd((int) copy));
  }

  public int fd() {
    return fd.number();
  }

  Fd descriptor() {
    return fd;
  }

  public String name() {
    return name;
  }

  /** {@link MapType}. */
  public int type() {
    return type;
  }

  public int keySize() {
    return keySize;
  }

  /** The bytes of one value, of one CPU. */
  public int valueSize() {
    return valueSize;
  }

  /** The bytes that a value takes for {@link #lookup} and the like: of all CPUs. */
  public int valueStride() {
    return valueStride;
  }

  /** The bytes of one CPU's value in a per-CPU map's value. */
  public int perCpuStride() {
    return (valueSize + 7) / 8 * 8;
  }

  public int maxEntries() {
    return maxEntries;
  }

  /** Copies the value of a key; false if there is none. */
  public boolean lookup(MemorySegment key, MemorySegment value) {
    return element(BpfCalls.MAP_LOOKUP_ELEM, key, value, 0, "MAP_LOOKUP_ELEM");
  }

  /**
   * Copies the value of a key and takes it out; false if there is none. Before 5.14 that is two
   * calls for a hash map, and what is written between them is lost.
   */
  public boolean lookupAndDelete(MemorySegment key, MemorySegment value) {
    checkSize(key, keySize, "key");
    checkSize(value, valueStride, "value");
    long result = call(BpfCalls.MAP_LOOKUP_AND_DELETE_ELEM, key, value, 0);
    if (result == -Errno.ENOTSUPP || result == -Errno.EOPNOTSUPP) {
      return lookup(key, value) && delete(key);
    }
    return found(result, "MAP_LOOKUP_AND_DELETE_ELEM");
  }

  /** Puts a value, by the rule of {@code updateFlags}: {@link #ANY}, … */
  public void update(MemorySegment key, MemorySegment value, long updateFlags) {
    checkSize(key, keySize, "key");
    checkSize(value, valueStride, "value");
    BpfCalls.check(
        call(BpfCalls.MAP_UPDATE_ELEM, key, value, updateFlags), what("MAP_UPDATE_ELEM"));
  }

  /** Takes a key out; false if it was not there. */
  public boolean delete(MemorySegment key) {
    return element(BpfCalls.MAP_DELETE_ELEM, key, MemorySegment.NULL, 0, "MAP_DELETE_ELEM");
  }

  /** The key after another one, or the first if {@code key} is NULL; false at the end. */
  public boolean nextKey(MemorySegment key, MemorySegment next) {
    checkSize(next, keySize, "key");
    return found(call(BpfCalls.MAP_GET_NEXT_KEY, key, next, 0), "MAP_GET_NEXT_KEY");
  }

  /** Calls back with each key and value; both are overwritten afterwards. */
  public void forEach(BiConsumer<MemorySegment, MemorySegment> action) {
    MapBatch.forEach(this, false, action);
  }

  /** As {@link #forEach}, and takes what it gives out of the map. */
  public void drain(BiConsumer<MemorySegment, MemorySegment> action) {
    MapBatch.forEach(this, true, action);
  }

  /**
   * Copies up to {@code max} entries to {@code keys} and {@code values}, one after the other.
   *
   * @param cursor where to go on; new for a new pass
   * @return how many; the cursor knows whether there are more
   */
  public int lookupBatch(MapCursor cursor, MemorySegment keys, MemorySegment values, int max) {
    return MapBatch.next(this, cursor, keys, values, max, false);
  }

  /** As {@link #lookupBatch}, and takes them out. */
  public int lookupAndDeleteBatch(
      MapCursor cursor, MemorySegment keys, MemorySegment values, int max) {
    return MapBatch.next(this, cursor, keys, values, max, true);
  }

  /** The whole of a memory-mappable array, such as a data section; mapped when first asked for. */
  public synchronized MemorySegment memory() {
    if (memory == null) {
      if ((flags & MapSpec.F_MMAPABLE) == 0) {
        throw new BpfException("map " + name + " was not made to be mapped");
      }
      boolean readOnly = (flags & MapSpec.F_RDONLY_PROG) != 0;
      long page = SystemCalls.PAGE_SIZE;
      long size = (valueSize + 7L) / 8 * 8 * maxEntries;
      memory =
          SystemCalls.mmap(
              fd,
              (size + page - 1) / page * page,
              readOnly ? SystemCalls.PROT_READ : SystemCalls.PROT_READ | SystemCalls.PROT_WRITE,
              SystemCalls.MAP_SHARED,
              0);
    }
    return memory.segment();
  }

  /** Takes the mapping away; it comes back when {@link #memory} is asked for again. */
  public synchronized void unmap() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }

  private boolean element(
      int command, MemorySegment key, MemorySegment value, long elementFlags, String call) {
    checkSize(key, keySize, "key");
    if (!value.equals(MemorySegment.NULL)) {
      checkSize(value, valueStride, "value");
    }
    return found(call(command, key, value, elementFlags), call);
  }

  private boolean found(long result, String call) {
    if (result == -Errno.ENOENT) {
      return false;
    }
    BpfCalls.check(result, what(call));
    return true;
  }

  private long call(int command, MemorySegment key, MemorySegment value, long elementFlags) {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena)
          .put(MapElement.MAP_FD, fd())
          .put(MapElement.KEY, keySize == 0 ? MemorySegment.NULL : key)
          .put(MapElement.VALUE, value)
          .put(MapElement.FLAGS, elementFlags)
          .tryCall(command);
    }
  }

  private void checkSize(MemorySegment segment, int least, String part) {
    if (segment.byteSize() < least || least > 0 && !segment.isNative()) {
      throw new IllegalArgumentException(
          "map " + name + ": a " + part + " is " + least + " bytes of native memory");
    }
  }

  String what(String call) {
    return call + ", map " + name;
  }

  @Override
  public synchronized void close() {
    unmap();
    fd.close();
  }

  @Override
  public String toString() {
    return "map " + name;
  }
}
