package dev.plumb.collect.tables;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The kernel side's memory for unwind tables ({@code tables.h}): chunks of 64 KB up to a limit,
 * allocated when needed and freed when empty. Thread-safe: on a busy machine, the kernel takes some
 * ten milliseconds to add a chunk, because it waits until no program uses the map of chunks any
 * more ({@code maybe_wait_bpf_programs}).
 */
final class TableMemory implements AutoCloseable {
  /** 32-bit cells in a chunk. */
  static final int CELLS = 1 << 14;

  private static final int CHUNK_BYTES = 4 * CELLS;
  private static final int OPEN_CHUNKS = 4;

  /** Whose memory is mapped, at most: it counts as ours while it is. */
  private static final int MAPPED_CHUNKS = 32;

  /** A run of cells in one chunk. The first one's number is even. */
  record Run(int chunk, int first, int cells) {}

  private static final class Chunk {
    final BpfMap map;
    int used;
    int runs;

    Chunk(BpfMap map) {
      this.map = map;
    }
  }

  private final BpfMap outer;
  private final Map<Integer, Chunk> chunks = new HashMap<>();

  /** The chunks that may have room. */
  private final Deque<Integer> open = new ArrayDeque<>();

  /** The chunks that are mapped here, least recently used first. */
  private final LinkedHashMap<Integer, Chunk> mapped = new LinkedHashMap<>(64, 0.75f, true);

  /** Freed chunks, oldest first: BPF programs may still read the others. */
  private final Deque<Integer> freeNumbers = new ArrayDeque<>();

  /** {@code outer} is the map of chunks; it holds at most {@code maxBytes}. */
  TableMemory(BpfMap outer, long maxBytes) {
    this.outer = outer;
    long most = Math.min(maxBytes / CHUNK_BYTES, outer.maxEntries() - 1);
    for (int number = 1; number <= most; number++) {
      freeNumbers.add(number);
    }
  }

  /** Room for some cells; empty if there is none. */
  Optional<Run> allocate(int cells) {
    int even = cells + 1 & ~1;
    if (even > CELLS) {
      return Optional.empty();
    }
    Integer number;
    synchronized (this) {
      for (int candidate : open) {
        if (chunks.get(candidate).used + even <= CELLS) {
          return Optional.of(run(candidate, even));
        }
      }
      number = freeNumbers.poll();
    }
    if (number == null) {
      return Optional.empty();
    }
    BpfMap map = newChunk(number); // others need not wait for that
    synchronized (this) {
      chunks.put(number, new Chunk(map));
      open.addFirst(number);
      if (open.size() > OPEN_CHUNKS) {
        open.removeLast();
      }
      return Optional.of(run(number, even));
    }
  }

  private Run run(int number, int cells) {
    Chunk chunk = chunks.get(number);
    Run run = new Run(number, chunk.used, cells);
    chunk.used += cells;
    chunk.runs++;
    return run;
  }

  private BpfMap newChunk(int number) {
    MapSpec spec =
        new MapSpec("chunk")
            .type(MapType.ARRAY)
            .keySize(4)
            .valueSize(CHUNK_BYTES)
            .maxEntries(1)
            .flags(MapSpec.F_MMAPABLE);
    BpfMap map = BpfMap.create(spec);
    try (Arena arena = Arena.ofConfined()) {
      outer.update(
          arena.allocateFrom(JAVA_INT, number), arena.allocateFrom(JAVA_INT, map.fd()), BpfMap.ANY);
    }
    return map;
  }

  /** Writes a cell. */
  synchronized void set(Run run, int cell, int value) {
    memory(run).setAtIndex(JAVA_INT, run.first() + cell, value);
  }

  /** Writes two cells; {@code cell} is even. */
  synchronized void setPair(Run run, int cell, long value) {
    memory(run).set(JAVA_LONG, 4L * (run.first() + cell), value);
  }

  /** Writes a run's cells, from its first on. */
  synchronized void setAll(Run run, int[] values) {
    MemorySegment.copy(values, 0, memory(run), JAVA_INT, 4L * run.first(), values.length);
  }

  /** The same by two cells. */
  synchronized void setPairs(Run run, long[] values) {
    MemorySegment.copy(values, 0, memory(run), JAVA_LONG, 4L * run.first(), values.length);
  }

  /** Reads a cell of a chunk, as the kernel side does. */
  synchronized int get(int chunk, long cell) {
    return memory(chunk).getAtIndex(JAVA_INT, cell);
  }

  /** Reads two cells; {@code cell} is even. */
  synchronized long pair(int chunk, long cell) {
    return memory(chunk).get(JAVA_LONG, 4 * cell);
  }

  private MemorySegment memory(Run run) {
    return memory(run.chunk());
  }

  private MemorySegment memory(int number) {
    Chunk chunk = mapped.get(number);
    if (chunk == null) {
      chunk = chunks.get(number);
      mapped.put(number, chunk);
      if (mapped.size() > MAPPED_CHUNKS) {
        mapped.pollFirstEntry().getValue().map.unmap();
      }
    }
    return chunk.map.memory();
  }

  /** Gives a run back; when it was the chunk's last, the chunk too. */
  synchronized void free(Run run) {
    Chunk chunk = chunks.get(run.chunk());
    if (--chunk.runs > 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      outer.delete(arena.allocateFrom(JAVA_INT, run.chunk()));
    }
    chunk.map.close();
    chunks.remove(run.chunk());
    mapped.remove(run.chunk());
    open.remove(run.chunk());
    freeNumbers.add(run.chunk());
  }

  /** What it takes now. */
  synchronized long bytes() {
    return (long) chunks.size() * CHUNK_BYTES;
  }

  @Override
  public synchronized void close() {
    chunks.values().forEach(chunk -> chunk.map.close());
    chunks.clear();
    mapped.clear();
  }
}
