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
 * here for stacks that the kernel side could not unwind. Here those used last are kept, up to a
 * number of bytes; there those that are used by a process, and others as long as there is room.
 */
final class FileTables implements AutoCloseable {
  private static final long MAX_HEAP_BYTES = 16 << 20;

  /** What is known of a file, or of several with the same contents. */
  private static final class Entry {
    int files;

    /** Null if it was given up to save memory. */
    FileTable table;

    KernelTable written;
    int users;

    /** Found to be too large for what is left. */
    boolean refused;
  }

  /** Null if there is no kernel side. */
  private final TableMemory memory;

  private final EarlyTables early;

  /** The one used longest ago comes first. */
  private final Map<BackingFile, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);

  private final Map<FileTable.Contents, Entry> byContents = new HashMap<>();

  private long heapBytes;
  private long made;
  private long refused;

  FileTables(TableMemory memory, EarlyTables early) {
    this.memory = memory;
    this.early = early;
  }

  /** Without a kernel side, for stacks that are all unwound here. */
  static FileTables forHere() {
    return new FileTables(null, EarlyTables.none());
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
      fill(file, entry);
      made++;
      heapBytes += entry.table.table().bytes();
      evict(entry);
    }
    return entry.table;
  }

  /** That of a file with the same contents, if there is one. */
  private Entry entryOf(BackingFile file) {
    return contents(file)
        .map(same -> byContents.computeIfAbsent(same, c -> new Entry()))
        .orElseGet(Entry::new);
  }

  private static Optional<FileTable.Contents> contents(BackingFile file) {
    if (file.kind() != BackingFile.Kind.FILE || file.readable().isEmpty()) {
      return Optional.empty();
    }
    try (ElfFile elf = ElfFile.openConfined(file.readable().get())) {
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
        || entry != null && (entry.table != null || entry.written != null);
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

  private void evict(Entry kept) {
    for (Entry entry : entries.values()) {
      if (heapBytes <= MAX_HEAP_BYTES) {
        return;
      }
      if (entry != kept && entry.table != null) {
        heapBytes -= entry.table.table().bytes();
        entry.table = null;
      }
    }
  }

  /** The table in the kernel side's memory, for one more user; empty if it has none or no room. */
  Optional<KernelTable> use(BackingFile file) {
    Entry entry = entries.get(file);
    if (entry.written == null && !entry.refused) {
      write(file, entry);
    }
    if (entry.written == null) {
      return Optional.empty();
    }
    entry.users++;
    return Optional.of(entry.written);
  }

  private void write(BackingFile file, Entry entry) {
    UnwindTable table = table(file).table();
    if (table.rows() == 0) {
      return;
    }
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
