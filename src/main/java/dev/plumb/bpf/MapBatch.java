package dev.plumb.bpf;

import dev.plumb.bpf.BpfAttr.Batch;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.MapType;
import dev.plumb.linux.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/**
 * Reading many entries of a map at a time: one call for all where the kernel can, else one call
 * each.
 */
final class MapBatch {
  private static final int USUAL = 256;
  private static final int LARGEST = 1 << 16;
  private static final int SPARE_STEPS = 64;

  private MapBatch() {}

  static void forEach(BpfMap map, boolean delete, BiConsumer<MemorySegment, MemorySegment> action) {
    MapCursor cursor = new MapCursor();
    int size = Math.clamp(map.maxEntries(), 1, USUAL);
    Arena arena = Arena.ofConfined();
    try {
      MemorySegment keys = arena.allocate((long) map.keySize() * size, 8);
      MemorySegment values = arena.allocate((long) map.valueStride() * size, 8);
      while (!cursor.isFinished()) {
        int count;
        try {
          count = next(map, cursor, keys, values, size, delete);
        } catch (BatchTooSmallException e) {
          // A bucket of a hash map is given whole or not at all.
          size *= 4;
          arena.close();
          arena = Arena.ofConfined();
          keys = arena.allocate((long) map.keySize() * size, 8);
          values = arena.allocate((long) map.valueStride() * size, 8);
          continue;
        }
        for (int i = 0; i < count; i++) {
          action.accept(
              keys.asSlice((long) i * map.keySize(), map.keySize()),
              values.asSlice((long) i * map.valueStride(), map.valueStride()));
        }
      }
    } finally {
      arena.close();
    }
  }

  static int next(
      BpfMap map,
      MapCursor cursor,
      MemorySegment keys,
      MemorySegment values,
      int max,
      boolean delete) {
    if (cursor.isFinished()) {
      return 0;
    }
    if (max <= 0
        || keys.byteSize() < (long) max * map.keySize()
        || values.byteSize() < (long) max * map.valueStride()) {
      throw new IllegalArgumentException(map + ": no room for " + max + " entries");
    }
    return Feature.BATCH_MAP_CALLS.present() && takesBatches(map, delete)
        ? batch(map, cursor, keys, values, max, delete)
        : singly(map, cursor, keys, values, max, delete);
  }

  /** Arrays cannot lose entries; some kinds of maps have no batch calls at all. */
  private static boolean takesBatches(BpfMap map, boolean delete) {
    return switch (map.type()) {
      case MapType.HASH, MapType.PERCPU_HASH, MapType.LRU_HASH, MapType.LRU_PERCPU_HASH -> true;
      case MapType.ARRAY -> !delete;
      case MapType.PERCPU_ARRAY -> !delete && Feature.PER_CPU_ARRAY_BATCH.present();
      default -> false;
    };
  }

  private static int batch(
      BpfMap map,
      MapCursor cursor,
      MemorySegment keys,
      MemorySegment values,
      int max,
      boolean delete) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment position = cursor.position(map.keySize());
      BpfAttr attr =
          BpfAttr.in(arena)
              .put(Batch.IN, cursor.isStarted() ? position : MemorySegment.NULL)
              .put(Batch.OUT, position)
              .put(Batch.KEYS, keys)
              .put(Batch.VALUES, values)
              .put(Batch.COUNT, max)
              .put(Batch.MAP_FD, map.fd());
      long result =
          attr.tryCall(delete ? BpfCalls.MAP_LOOKUP_AND_DELETE_BATCH : BpfCalls.MAP_LOOKUP_BATCH);
      int count = attr.number(Batch.COUNT);
      if (result == -Errno.ENOSPC) {
        throw new BatchTooSmallException(map, max);
      }
      if (result != -Errno.ENOENT) {
        BpfCalls.check(result, map.what("MAP_LOOKUP_BATCH"));
      }
      cursor.advanced(result == -Errno.ENOENT);
      return count;
    }
  }

  /** What the batch calls do, by single ones. */
  static int singly(
      BpfMap map,
      MapCursor cursor,
      MemorySegment keys,
      MemorySegment values,
      int max,
      boolean delete) {
    MemorySegment position = cursor.position(map.keySize());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment next = arena.allocate(Math.max(8, map.keySize()), 8);
      int count = 0;
      while (count < max) {
        if (cursor.steps() > 2L * map.maxEntries() + SPARE_STEPS) {
          // A key that was deleted under our feet sends us back to the first one.
          cursor.advanced(true);
          return count;
        }
        // What was deleted cannot be gone on from, so a draining pass starts over each time.
        boolean fromStart = !cursor.isStarted() || delete;
        if (!map.nextKey(fromStart ? MemorySegment.NULL : position, next)) {
          cursor.advanced(true);
          return count;
        }
        MemorySegment.copy(next, 0, position, 0, map.keySize());
        cursor.advanced(false);
        MemorySegment value = values.asSlice((long) count * map.valueStride(), map.valueStride());
        boolean found = map.lookup(next, value);
        boolean taken = !delete || map.delete(next);
        if (found && taken) {
          MemorySegment.copy(next, 0, keys, (long) count * map.keySize(), map.keySize());
          count++;
        }
      }
      return count;
    }
  }

  /** There is no room for the next bucket; try again from the same cursor with more. */
  private static final class BatchTooSmallException extends BpfException {
    BatchTooSmallException(BpfMap map, int max) {
      super(map + ": room for " + max + " entries is less than a bucket has");
      if (max > LARGEST) {
        throw new BpfException(map + ": a bucket has more than " + max + " entries");
      }
    }
  }
}
