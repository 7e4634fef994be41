package dev.plumb.collect.tables;

import dev.plumb.process.BackingFile;
import dev.plumb.unwind.rule.UnwindTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The unwind tables of files, each made once, when its code is first seen: for the kernel side, and
 * for stacks that user space unwinds. A {@link TableMaker} makes them, unless there is no kernel
 * side. The kernel side has the tables that processes use, and others as long as there is room. The
 * tables used last are in the heap, too; all others are read from the kernel side's memory.
 */
final class FileTables implements AutoCloseable {
  /** In the heap, where the kernel side has them too. */
  private static final long HEAP_BYTES = 1 << 20;

  /** In the heap, where there is no kernel side: what leaves it has to be made again. */
  private static final long HEAP_BYTES_ALONE = 48 << 20;

  /** What is known about a file, or about several with the same contents. */
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

  /** Null if there is no kernel side: then {@link #find} makes the table and returns it. */
  private final TableMaker maker;

  private final long maxHeapBytes;
  private final Runnable aroundMaking;

  /** Least recently used first. */
  private final Map<BackingFile, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);

  private final Map<FileTable.Contents, Entry> byContents = new HashMap<>();

  private long heapBytes;
  private long made;
  private long refused;

  /**
   * @param aroundMaking runs after a table was made, which takes much memory for a moment
   */
  FileTables(TableMemory memory, TableMaker maker, Runnable aroundMaking) {
    this(memory, maker, HEAP_BYTES, aroundMaking);
  }

  FileTables(TableMemory memory, TableMaker maker, long maxHeapBytes, Runnable aroundMaking) {
    this.memory = memory;
    this.maker = maker;
    this.maxHeapBytes = maxHeapBytes;
    this.aroundMaking = aroundMaking;
  }

  /** Without a kernel side, for stacks that are all unwound here. */
  static FileTables forHere() {
    return new FileTables(null, null, HEAP_BYTES_ALONE, () -> {});
  }

  /** The table of a file; if it is not made yet, requests it and returns empty. */
  Optional<FileTable> find(BackingFile file) {
    if (file.kind() == BackingFile.Kind.ANONYMOUS) {
      return Optional.of(FileTable.NONE);
    }
    Entry entry = entries.get(file);
    if (entry != null && entry.table != null) {
      return Optional.of(entry.table);
    }
    if (maker == null) {
      install(madeNow(file));
      return Optional.of(entries.get(file).table);
    }
    Optional<TableMaker.Made> early = maker.takeEarly(file);
    if (early.isPresent() && install(early.get())) {
      return Optional.of(entries.get(file).table);
    }
    maker.ask(file);
    return Optional.empty();
  }

  private TableMaker.Made madeNow(BackingFile file) {
    Optional<FileTable.Contents> contents = TableMaker.contents(file);
    boolean has = contents.map(byContents::get).filter(entry -> entry.table != null).isPresent();
    Optional<FileTable> table = has ? Optional.empty() : Optional.of(TableMaker.make(file));
    made += has ? 0 : 1;
    return new TableMaker.Made(file, table, Optional.empty(), contents);
  }

  /** The table of a file that has one. */
  FileTable table(BackingFile file) {
    return find(file).orElse(FileTable.NONE);
  }

  /** Takes the tables that were made since the last time; the files that have one now. */
  List<BackingFile> take() {
    List<TableMaker.Made> all = maker.take();
    List<BackingFile> files = new ArrayList<>();
    for (TableMaker.Made one : all) {
      if (install(one)) {
        files.add(one.file());
      }
    }
    if (!all.isEmpty()) {
      aroundMaking.run();
    }
    return files;
  }

  /** Whether the file has a table now. */
  private boolean install(TableMaker.Made one) {
    Entry entry = entries.get(one.file());
    if (entry == null) {
      entry =
          one.contents()
              .map(same -> byContents.computeIfAbsent(same, c -> new Entry()))
              .orElseGet(Entry::new);
      entries.put(one.file(), entry);
      entry.files++;
    }
    if (entry.table == null && one.table().isEmpty()) {
      // What was known of its contents is gone meanwhile.
      maker.forget(one.contents().orElseThrow());
      maker.ask(one.file());
      return false;
    }
    if (entry.written == null) {
      entry.written = one.written().orElse(null);
    } else {
      one.written().ifPresent(KernelTable::free);
    }
    if (entry.table == null) {
      entry.table = one.table().get();
      heapBytes += entry.table.table().bytes();
      evict(Optional.of(entry));
    }
    if (maker != null) {
      one.contents().ifPresent(maker::know);
      made++;
    }
    return true;
  }

  /** Whether a file's table was made already. */
  boolean isMade(BackingFile file) {
    Entry entry = entries.get(file);
    return file.kind() == BackingFile.Kind.ANONYMOUS
        || entry != null && entry.table != null
        || maker != null && maker.hasEarly(file);
  }

  /** How many tables were installed so far. */
  long made() {
    return made;
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

  /** Frees the table that was unused for the longest time. */
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

  /** Frees the tables of files that no process maps any more. */
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
    byContents
        .entrySet()
        .removeIf(
            e -> {
              boolean unused = e.getValue().files == 0;
              if (unused && maker != null) {
                maker.forget(e.getKey());
              }
              return unused;
            });
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
