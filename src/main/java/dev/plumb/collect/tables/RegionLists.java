package dev.plumb.collect.tables;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.collect.tables.TableMemory.Run;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The code of each process that the kernel side knows: regions sorted by address, each with the
 * position of its table ({@code struct region} in {@code tables.h}).
 *
 * <pre>
 * cells of a region: 0 start  2 end  4 bias  6 index's chunk  7 index  8 rules' chunk  9 rules
 * </pre>
 */
final class RegionLists {
  private static final int REGION_CELLS = 10;
  private static final int MAX_REGIONS = 1024;

  /** Instead of an index's chunk: there is a table, but it is not made yet. */
  private static final int NOT_LOADED = -1;

  private static final int NO_TABLE = 0;
  private static final Run NOWHERE = new Run(0, 0, 0);

  /** What was written for a process. */
  private static final class Written {
    final ProcessImage image;
    final int size;
    final Run run;
    final List<BackingFile> used;
    final long version;
    final long made;

    Written(ProcessImage image, int size, Run run, List<BackingFile> used, long made) {
      this.image = image;
      this.size = size;
      this.run = run;
      this.used = used;
      this.version = image.version();
      this.made = made;
    }
  }

  private record Region(long start, long end, long bias, int indexChunk, int index, Run rules) {}

  private final BpfMap lists;
  private final TableMemory memory;
  private final FileTables tables;
  private final Map<Long, Written> written = new HashMap<>();
  private final Map<Long, ProcessImage> wanted = new HashMap<>();

  /** Runs to use again, by their size: as many regions as two to the power of the place. */
  private final List<Deque<Run>> spare = new ArrayList<>();

  /** Given up since the last tick: a program may still look at them. */
  private final List<Written> givenUp = new ArrayList<>();

  RegionLists(BpfMap lists, TableMemory memory, FileTables tables) {
    this.lists = lists;
    this.memory = memory;
    this.tables = tables;
    for (int size = 1; size <= MAX_REGIONS; size *= 2) {
      spare.add(new ArrayDeque<>());
    }
  }

  /**
   * Queues the list of a process whose stack the kernel side could not unwind to be written, or
   * written again.
   */
  void want(long process, ProcessImage image) {
    wanted.put(process, image);
  }

  /** Whether the kernel side has a list for a process. */
  boolean has(long process) {
    return written.containsKey(process);
  }

  /** Writes what is wanted, and again what has changed since it was written. */
  void write() {
    written.forEach(
        (process, list) -> {
          if (list.version != list.image.version() && !list.image.isOver()) {
            wanted.putIfAbsent(process, list.image);
          }
        });
    wanted.forEach(
        (process, image) -> {
          Written before = written.get(process);
          if (!image.isOver() && (before == null || isStale(before))) {
            write(process, image);
          }
        });
    wanted.clear();
  }

  private boolean isStale(Written list) {
    return list.version != list.image.version() || list.made != tables.made();
  }

  /** Forgets processes that have ended; to be called about once per second. */
  void tick() {
    for (Written list : givenUp) {
      spare.get(list.size).add(list.run);
    }
    givenUp.clear();
    for (Iterator<Map.Entry<Long, Written>> i = written.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Long, Written> entry = i.next();
      if (entry.getValue().image.isOver()) {
        try (Arena arena = Arena.ofConfined()) {
          lists.delete(arena.allocateFrom(JAVA_LONG, entry.getKey()));
        }
        giveUp(entry.getValue());
        i.remove();
      }
    }
  }

  private void giveUp(Written list) {
    list.used.forEach(tables::release);
    givenUp.add(list);
  }

  private void write(long process, ProcessImage image) {
    List<BackingFile> used = new ArrayList<>();
    List<Region> regions = new ArrayList<>();
    for (Mapping mapping : image.code()) {
      add(mapping, regions, used);
    }
    int count = Math.min(regions.size(), MAX_REGIONS);
    int size = 32 - Integer.numberOfLeadingZeros(Math.max(count, 1) - 1);
    Optional<Run> run = Optional.ofNullable(spare.get(size).poll());
    if (run.isEmpty()) {
      run = memory.allocate(REGION_CELLS << size);
    }
    if (run.isEmpty()) {
      used.forEach(tables::release);
      return; // its stacks are still copied
    }
    for (int i = 0; i < count; i++) {
      write(run.get(), i * REGION_CELLS, regions.get(i));
    }
    put(process, run.get(), count);
    Written before = written.put(process, new Written(image, size, run.get(), used, tables.made()));
    if (before != null) {
      giveUp(before);
    }
  }

  /** struct region_list: chunk, first cell, count. */
  private void put(long process, Run run, int count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(16, 8);
      value.set(JAVA_INT, 0, run.chunk());
      value.set(JAVA_INT, 4, run.first());
      value.set(JAVA_INT, 8, count);
      lists.update(arena.allocateFrom(JAVA_LONG, process), value, BpfMap.ANY);
    }
  }

  private void add(Mapping mapping, List<Region> regions, List<BackingFile> used) {
    BackingFile file = mapping.file();
    if (ProcessUnwinder.isForeignVdso(mapping)) {
      addWithout(mapping.start(), mapping.end(), NO_TABLE, regions);
      return;
    }
    if (!tables.isMade(file)) {
      addWithout(mapping.start(), mapping.end(), NOT_LOADED, regions);
      return;
    }
    FileTable table = tables.table(file);
    OptionalLong elfStart = table.elfAddressAt(mapping.fileOffset());
    Optional<KernelTable> kernel =
        table.isEmpty() || elfStart.isEmpty() ? Optional.empty() : tables.use(file);
    if (kernel.isEmpty()) {
      addWithout(mapping.start(), mapping.end(), NO_TABLE, regions);
      return;
    }
    used.add(file);
    long bias = mapping.start() - elfStart.getAsLong();
    long done = mapping.start();
    for (KernelTable.Piece piece : kernel.get().pieces()) {
      long zero = piece.firstElfAddress() + bias;
      long start = Math.max(mapping.start(), zero);
      long end = Math.min(mapping.end(), piece.endElfAddress() + bias);
      if (start < end) {
        addWithout(done, start, NO_TABLE, regions);
        Run index = piece.index();
        Run rules = kernel.get().rules();
        regions.add(new Region(start, end, zero, index.chunk(), index.first(), rules));
        done = end;
      }
    }
    addWithout(done, mapping.end(), NO_TABLE, regions);
  }

  private static void addWithout(long start, long end, int chunk, List<Region> regions) {
    if (start < end) {
      regions.add(new Region(start, end, 0, chunk, 0, NOWHERE));
    }
  }

  private void write(Run run, int cell, Region region) {
    memory.setPair(run, cell, region.start());
    memory.setPair(run, cell + 2, region.end());
    memory.setPair(run, cell + 4, region.bias());
    memory.set(run, cell + 6, region.indexChunk());
    memory.set(run, cell + 7, region.index());
    memory.set(run, cell + 8, region.rules().chunk());
    memory.set(run, cell + 9, region.rules().first());
  }

  /** How many processes the kernel side knows. */
  int size() {
    return written.size();
  }
}
