package dev.plumb.collect;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Vdso;
import dev.plumb.unwind.UnwindTable;
import dev.plumb.unwind.UnwindTables;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The unwind tables of files, each made once, when its code is first met: for the kernel side, and
 * here for stacks that the kernel side could not unwind. The kernel side has those that are used by
 * a process, and others as long as there is room. Those used last are in the heap, too; all others
 * are read from the kernel side's memory.
 */
final class FileTables implements AutoCloseable {
  /** In the heap, where the kernel side has them too. */
  private static final long HEAP_BYTES = 1 << 20;

  /** In the heap, where there is no kernel side: what leaves it has to be made again. */
  private static final long HEAP_BYTES_ALONE = 48 << 20;

  /** What is known of a file, or of several with the same contents. */
  private static final class Entry {
    int files;

    /** Null if it is not made, or was given up to save memory. */
    FileTable table;

    /** Null if the kernel side does not have it. */
    KernelTable written;

    int users;

    /** Found to be too large for what is left. */
    boolean refused;
  }

  /** Null if there is no kernel side. */
  private final TableMemory memory;

  private final EarlyTables early;
  private final long maxHeapBytes;
  private final Runnable aroundMaking;

  /** The one used longest ago comes first. */
  private final Map<BackingFile, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);

  private final Map<FileTable.Contents, Entry> byContents = new HashMap<>();

  private long heapBytes;
  private long made;
  private long refused;

  /**
   * @param aroundMaking is run before and after a table is made: it takes much memory for a moment
   */
  FileTables(TableMemory memory, EarlyTables early, Runnable aroundMaking) {
    this(memory, early, HEAP_BYTES, aroundMaking);
  }

  FileTables(TableMemory memory, EarlyTables early, long maxHeapBytes, Runnable aroundMaking) {
    this.memory = memory;
    this.early = early;
    this.maxHeapBytes = maxHeapBytes;
    this.aroundMaking = aroundMaking;
  }

  /** Without a kernel side, for stacks that are all unwound here. */
  static FileTables forHere() {
    return new FileTables(null, EarlyTables.none(), HEAP_BYTES_ALONE, () -> {});
  }

  /** The table of a file, made now if it is not there. */
  FileTable table(BackingFile file) {
    if (file.kind() == BackingFile.Kind.ANONYMOUS) {
      return FileTable.NONE;
    }
    Entry entry = entries.get(file);
    if (entry == null) {
      entry = entryOf(file);
      entries.put(file, entry);
      entry.files++;
    }
    if (entry.table == null) {
      aroundMaking.run();
      fill(file, entry);
      made++;
      heapBytes += entry.table.table().bytes();
      evict(Optional.of(entry));
      aroundMaking.run();
    }
    return entry.table;
  }

  /** That of a file with the same contents, if there is one. */
  private Entry entryOf(BackingFile file) {
    Optional<EarlyTables.Early> known = early.find(file);
    return (known.isPresent() ? known.get().contents() : contents(file))
        .map(same -> byContents.computeIfAbsent(same, c -> new Entry()))
        .orElseGet(Entry::new);
  }

  private static Optional<FileTable.Contents> contents(BackingFile file) {
    return file.kind() == BackingFile.Kind.FILE
        ? file.readable().flatMap(FileTables::contents)
        : Optional.empty();
  }

  static Optional<FileTable.Contents> contents(Path path) {
    try (ElfFile elf = ElfFile.openConfined(path)) {
      return FileTable.contents(elf);
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private void fill(BackingFile file, Entry entry) {
    Optional<EarlyTables.Early> known = early.take(file);
    entry.table = known.map(EarlyTables.Early::table).orElseGet(() -> make(file));
    if (entry.written == null) {
      entry.written = known.flatMap(EarlyTables.Early::written).orElse(null);
    }
  }

  /** Whether a file's table was made already, so that asking for it takes no time. */
  boolean isMade(BackingFile file) {
    Entry entry = entries.get(file);
    return file.kind() == BackingFile.Kind.ANONYMOUS
        || entry != null && (entry.table != null || entry.written != null)
        || early.find(file).isPresent();
  }

  /** How often a table was made. */
  long made() {
    return made;
  }

  static FileTable make(BackingFile file) {
    if (file.kind() == BackingFile.Kind.VDSO) {
      return make(() -> ElfFile.of(MemorySegment.ofArray(Vdso.image()), "[vdso]"));
    }
    return file.readable().map(FileTables::make).orElse(FileTable.NONE);
  }

  static FileTable make(Path path) {
    return make(() -> ElfFile.openConfined(path));
  }

  private static FileTable make(Supplier<ElfFile> file) {
    try (ElfFile elf = file.get()) {
      UnwindTable table = UnwindTables.of(elf).table();
      // The dynamic linker's way to a function that is called for the first time.
      return FileTable.of(elf, table.needsRbx() ? UnwindTables.followingRbx(elf).table() : table);
    } catch (ElfException e) {
      return FileTable.NONE; // its code is unwound by frame pointers
    }
  }

  /**
   * Takes tables from the heap, those used longest ago first, but not the one that is needed now.
   */
  private void evict(Optional<Entry> needed) {
    for (Entry entry : entries.values()) {
      if (heapBytes <= maxHeapBytes) {
        return;
      }
      long bytes = entry.table == null ? 0 : entry.table.table().bytes();
      if (bytes > 0 && needed.filter(entry::equals).isEmpty()) {
        if (memory != null) {
          write(entry);
        }
        heapBytes -= bytes;
        entry.table = withoutHeap(entry);
      }
    }
  }

  /** Null if it is to be made again, which large ones are not: that may take a second each time. */
  private FileTable withoutHeap(Entry entry) {
    if (entry.written != null) {
      return entry.table.readFrom(entry.written);
    }
    return entry.refused && entry.table.table().bytes() > maxHeapBytes / 2 ? FileTable.NONE : null;
  }

  /** The table in the kernel side's memory, for one more user; empty if it has none or no room. */
  Optional<KernelTable> use(BackingFile file) {
    table(file);
    Entry entry = entries.get(file);
    write(entry);
    if (entry.written == null) {
      return Optional.empty();
    }
    entry.users++;
    evict(Optional.empty());
    return Optional.of(entry.written);
  }

  /** Gives a table that was made to the kernel side, if it has room. */
  private void write(Entry entry) {
    UnwindTable table = entry.table.table();
    if (entry.written != null || entry.refused || table.rows() == 0) {
      return;
    }
    early.await();
    Optional<KernelTable> written = KernelTable.write(table, memory);
    while (written.isEmpty() && freeUnused()) {
      written = KernelTable.write(table, memory);
    }
    entry.written = written.orElse(null);
    if (written.isEmpty()) {
      entry.refused = true;
      refused++;
    }
  }

  /** Frees the table that nobody has used for the longest time. */
  private boolean freeUnused() {
    for (Iterator<Entry> i = entries.values().iterator(); i.hasNext(); ) {
      Entry entry = i.next();
      if (entry.written != null && entry.users == 0) {
        entry.written.free();
        entry.written = null;
        if (entry.table != null && entry.table.table().rows() == 0) {
          entry.table = null;
        }
        return true;
      }
    }
    return false;
  }

  /** Ends one use. */
  void release(BackingFile file) {
    entries.get(file).users--;
  }

  /** Frees the tables of files that nobody has mapped any more. */
  void keepOnly(Set<BackingFile> inUse) {
    entries
        .entrySet()
        .removeIf(
            e -> {
              boolean unused = e.getValue().users == 0 && !inUse.contains(e.getKey());
              if (unused && --e.getValue().files == 0) {
                forget(e.getValue());
              }
              return unused;
            });
    byContents.values().removeIf(entry -> entry.files == 0);
  }

  private void forget(Entry entry) {
    if (entry.written != null) {
      entry.written.free();
    }
    if (entry.table != null) {
      heapBytes -= entry.table.table().bytes();
    }
  }

  /** Tables that found no room in the kernel side's memory. */
  long refused() {
    return refused;
  }

  @Override
  public void close() {
    entries.clear();
    byContents.clear();
  }
}
