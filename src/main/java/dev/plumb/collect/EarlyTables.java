package dev.plumb.collect;

import dev.plumb.elf.ElfException;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.ProcMaps;
import dev.plumb.linux.ProcReader;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.Threads;
import dev.plumb.process.BackingFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tables of files that nearly every program maps, made on a thread of their own as soon as
 * recording begins: the C library and the dynamic linker that this process itself runs on, and the
 * vdso; and of those that a command will map which is about to be run. Else a program's first
 * samples come before its tables, in a JVM that has made none yet.
 */
final class EarlyTables {
  /** A table, what tells its file's contents, and where it is in the kernel side's memory. */
  record Early(
      FileTable table, Optional<FileTable.Contents> contents, Optional<KernelTable> written) {
    static final Early NONE = new Early(FileTable.NONE, Optional.empty(), Optional.empty());
  }

  private static final String VDSO = "[vdso]";

  /** What a command may be kept waiting for; tables of large programs are made when it runs. */
  private static final long LONGEST_NANOS = 200_000_000;

  private final Map<FileIdentity, Early> files = new HashMap<>();
  private Early vdso = Early.NONE;
  private Thread thread;

  private EarlyTables() {}

  /** None until they are begun. */
  static EarlyTables none() {
    return new EarlyTables();
  }

  /**
   * Begins to make them and to write them to the kernel side's memory; whoever uses that has to
   * call {@link #await} before.
   *
   * @param command the files of the command that will be run; none if there is none
   */
  void begin(TableMemory memory, List<Path> command) {
    run(
        () -> {
          make(command);
          vdso = written(vdso, memory);
          files.replaceAll((file, early) -> written(early, memory));
        });
  }

  private void run(Runnable work) {
    thread = Thread.ofPlatform().daemon().name("early tables").start(work);
  }

  /** Waits until all is done. */
  void await() {
    if (thread != null) {
      Threads.join(thread);
      thread = null;
    }
  }

  /** The table of a file, if it is here to be taken. */
  Optional<Early> find(BackingFile file) {
    await();
    return file.kind() == BackingFile.Kind.VDSO
        ? Optional.of(vdso).filter(early -> !early.table.isEmpty())
        : file.identity().map(files::get);
  }

  /** The same, once. */
  Optional<Early> take(BackingFile file) {
    Optional<Early> found = find(file);
    if (file.kind() == BackingFile.Kind.VDSO) {
      vdso = Early.NONE;
    } else {
      file.identity().ifPresent(files::remove);
    }
    return found;
  }

  private static Early written(Early early, TableMemory memory) {
    FileTable table = early.table;
    return table.isEmpty()
        ? early
        : new Early(table, early.contents, KernelTable.write(table.table(), memory));
  }

  private void make(List<Path> command) {
    long end = System.nanoTime() + LONGEST_NANOS;
    try {
      for (String path : ownLibraries()) {
        make(path);
      }
      for (Path path : command) {
        if (System.nanoTime() < end) {
          make(path.toString());
        }
      }
    } catch (ElfException | SyscallException e) {
      return; // they are made when they are needed
    }
  }

  private void make(String path) {
    if (path.equals(VDSO)) {
      FileTable table = FileTables.make(BackingFile.vdso());
      vdso = new Early(table, Optional.empty(), Optional.empty());
      return;
    }
    int number = SystemCalls.tryOpen(path, SystemCalls.O_RDONLY, 0);
    if (number >= 0) {
      try (Fd fd = new Fd(number)) {
        FileIdentity identity = SystemCalls.statx(fd);
        if (!files.containsKey(identity)) {
          Path open = Path.of("/proc/self/fd/" + number);
          FileTable table = FileTables.make(open);
          files.put(identity, new Early(table, FileTables.contents(open), Optional.empty()));
        }
      }
    }
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
}
