package dev.plumb.collect.tables;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SchedulingCalls;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.Threads;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Vdso;
import dev.plumb.unwind.UnwindTables;
import dev.plumb.unwind.rule.UnwindTable;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Makes unwind tables on a thread of its own: files may be large and not cached, and the thread
 * that reads the ring buffer must not wait. The table that was requested most often is made first.
 *
 * <p>Some tables are made at once: those of files that nearly every program maps (the C library and
 * the dynamic linker of this process, the vdso), and those of files that the command to be recorded
 * will map.
 */
final class TableMaker implements AutoCloseable {
  /**
   * A table that was requested.
   *
   * @param table empty if a file with the same contents had one before
   * @param written where it is in the kernel side's memory, if there was room
   */
  record Made(
      BackingFile file,
      Optional<FileTable> table,
      Optional<KernelTable> written,
      Optional<FileTable.Contents> contents) {}

  private record Early(
      FileTable table, Optional<KernelTable> written, Optional<FileTable.Contents> contents) {}

  private static final String VDSO = "[vdso]";

  /** What a command may be kept waiting for; tables of large programs are made when it runs. */
  private static final long LONGEST_NANOS = 200_000_000;

  private static final long PERIOD_NANOS = 10_000_000;

  /** For each file whose table is not made yet, how often it was requested. */
  private final Map<BackingFile, Integer> wanted = new LinkedHashMap<>();

  private final List<Made> made = new ArrayList<>();

  /** Of files that have a table already. */
  private final Set<FileTable.Contents> known = new HashSet<>();

  private TableMemory memory;
  private List<Path> commandFiles = List.of();
  private boolean earlyIsDue;
  private Optional<BackingFile> atHand = Optional.empty();
  private boolean ended;

  private final Map<FileIdentity, Early> early = new HashMap<>();

  private Optional<Early> earlyVdso = Optional.empty();
  private final Thread thread = Thread.ofPlatform().daemon().name("tables").unstarted(this::run);

  /**
   * Begins with tables that will be needed soon.
   *
   * @param command the files of the command to be recorded; empty if there is none
   * @param into the kernel side's memory, which they are written to
   */
  void start(List<Path> command, TableMemory into) {
    memory = into;
    commandFiles = List.copyOf(command);
    earlyIsDue = true;
    thread.start();
  }

  /** Requests the table of a file; {@link #take} will return it. */
  synchronized void ask(BackingFile file) {
    wanted.merge(file, 1, Integer::sum);
    notifyAll();
  }

  /** The tables that were made since the last call. */
  synchronized List<Made> take() {
    List<Made> all = List.copyOf(made);
    made.clear();
    return all;
  }

  /** Files with these contents need no table any more. */
  synchronized void know(FileTable.Contents contents) {
    known.add(contents);
  }

  synchronized void forget(FileTable.Contents contents) {
    known.remove(contents);
  }

  /** Whether nothing is left to be made, and all that was made was taken. */
  synchronized boolean isIdle() {
    return !earlyIsDue && wanted.isEmpty() && atHand.isEmpty() && made.isEmpty();
  }

  /** Adds the files that are still read. */
  synchronized void addFiles(Set<BackingFile> files) {
    files.addAll(wanted.keySet());
    atHand.ifPresent(files::add);
  }

  /** Waits until all tables are made, or one can be taken, or time is up. */
  synchronized void await(long nanos) {
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    while (made.isEmpty() && !isIdle() && System.nanoTime() < end) {
      try {
        wait(10);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    // Among many busy groups of processes it would take ten times as long (see ReaderPriority), and
    // stacks that wait for tables with it. Half a CPU, so that nobody waits long for one.
    SchedulingCalls.trySetDeadline(PERIOD_NANOS / 2, PERIOD_NANOS);
    makeEarly();
    finishEarly();
    for (Optional<BackingFile> next = next(); next.isPresent(); next = next()) {
      Made one = makeOne(next.get());
      synchronized (this) {
        made.add(one);
        atHand = Optional.empty();
        notifyAll();
      }
    }
  }

  private synchronized void finishEarly() {
    earlyIsDue = false;
    notifyAll();
  }

  /** The file that is wanted most; empty when it is over. */
  private synchronized Optional<BackingFile> next() {
    while (!ended && wanted.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        return Optional.empty(); // nobody does that
      }
    }
    if (ended) {
      return Optional.empty();
    }
    BackingFile most = null;
    for (Map.Entry<BackingFile, Integer> entry : wanted.entrySet()) {
      if (most == null || entry.getValue() > wanted.get(most)) {
        most = entry.getKey();
      }
    }
    wanted.remove(most);
    atHand = Optional.of(most);
    return atHand;
  }

  /** Whether the table of a file was made before it was requested. */
  synchronized boolean hasEarly(BackingFile file) {
    return file.kind() == BackingFile.Kind.VDSO
        ? earlyVdso.isPresent()
        : file.identity().filter(early::containsKey).isPresent();
  }

  /** The table of a file, if it was made before it was requested; returned only once. */
  synchronized Optional<Made> takeEarly(BackingFile file) {
    Optional<Early> found =
        file.kind() == BackingFile.Kind.VDSO ? earlyVdso : file.identity().map(early::remove);
    if (file.kind() == BackingFile.Kind.VDSO) {
      earlyVdso = Optional.empty();
    }
    return found.map(one -> new Made(file, Optional.of(one.table), one.written, one.contents));
  }

  private Made makeOne(BackingFile file) {
    Optional<Made> before = takeEarly(file);
    if (before.isPresent()) {
      return before.get();
    }
    Optional<FileTable.Contents> contents = contents(file);
    if (contents.isPresent() && isKnown(contents.get())) {
      return new Made(file, Optional.empty(), Optional.empty(), contents);
    }
    FileTable table = make(file);
    return new Made(file, Optional.of(table), written(table), contents);
  }

  private Optional<KernelTable> written(FileTable table) {
    return table.isEmpty() ? Optional.empty() : KernelTable.write(table.table(), memory);
  }

  private synchronized boolean isKnown(FileTable.Contents contents) {
    return known.contains(contents);
  }

  private void makeEarly() {
    long end = System.nanoTime() + LONGEST_NANOS;
    try {
      for (String path : ownLibraries()) {
        makeEarly(path);
      }
      for (Path path : commandFiles) {
        if (System.nanoTime() < end) {
          makeEarly(path.toString());
        }
      }
    } catch (ElfException | SyscallException e) {
      return; // they are made when they are needed
    }
  }

  private void makeEarly(String path) {
    if (path.equals(VDSO)) {
      FileTable table = make(BackingFile.vdso());
      Early vdso = new Early(table, written(table), Optional.empty());
      synchronized (this) {
        earlyVdso = Optional.of(vdso);
      }
      return;
    }
    int number = SystemCalls.tryOpen(path, SystemCalls.O_RDONLY, 0);
    if (number >= 0) {
      try (Fd fd = new Fd(number)) {
        FileIdentity identity = SystemCalls.statx(fd);
        if (isEarly(identity)) {
          return;
        }
        Path open = Path.of("/proc/self/fd/" + number);
        FileTable table = make(open);
        Early one = new Early(table, written(table), contents(open));
        synchronized (this) {
          early.put(identity, one);
        }
      }
    }
  }

  private synchronized boolean isEarly(FileIdentity file) {
    return early.containsKey(file);
  }

  private static List<String> ownLibraries() {
    List<String> paths = new ArrayList<>();
    try (ProcReader reader = new ProcReader()) {
      ProcMaps.forEachOwn(
          reader,
          line -> {
            if (line.executable() && !line.deleted()) {
              String path = line.path();
              String name = path.substring(path.lastIndexOf('/') + 1);
              if (name.startsWith("libc.") || name.startsWith("ld-") || name.equals(VDSO)) {
                paths.add(path);
              }
            }
          });
    }
    return paths;
  }

  static Optional<FileTable.Contents> contents(BackingFile file) {
    return file.kind() == BackingFile.Kind.FILE
        ? file.readable().flatMap(TableMaker::contents)
        : Optional.empty();
  }

  private static Optional<FileTable.Contents> contents(Path path) {
    try (ElfFile elf = ElfFile.openConfined(path)) {
      return FileTable.contents(elf);
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  static FileTable make(BackingFile file) {
    if (file.kind() == BackingFile.Kind.VDSO) {
      return make(() -> ElfFile.of(MemorySegment.ofArray(Vdso.image()), VDSO));
    }
    return file.readable().map(TableMaker::make).orElse(FileTable.NONE);
  }

  private static FileTable make(Path path) {
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

  /** Ends after the table at hand. */
  @Override
  public void close() {
    synchronized (this) {
      ended = true;
      notifyAll();
    }
    Threads.join(thread);
  }
}
