package dev.plumb.symbols.jit;

import dev.plumb.linux.Clock;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.proc.ProcReader;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What the files of one process tell of its code. They are held open, so that they can be read when
 * the process is gone, and read again when they may have grown.
 */
final class ProcessCode implements AutoCloseable {
  /** What all processes are read with: buffers that are used again. */
  record Tools(
      ProcReader proc,
      FileWindow window,
      AddressRangeBatch batch,
      UntrustedFiles files,
      Consumer<String> problems) {}

  private static final long OVERHEAD = 512;

  /** How long after reading the files are read again: if a name was found, and if none was. */
  private static final long AGAIN_NANOS = 1_000_000_000L;

  private static final long AGAIN_IF_MISSING_NANOS = 100_000_000L;

  /** File systems have timestamps of low resolution. */
  private static final long STALE_SLACK_NANOS = 1_000_000_000L;

  private final JitProcess process;
  private final Tools tools;
  private final PerfMap map;
  private final JitDump dump;
  private Optional<ProcessContext> context = Optional.empty();
  private Optional<Fd> mapFile = Optional.empty();
  private Optional<FileIdentity> mapIdentity = Optional.empty();
  private Optional<Fd> dumpFile = Optional.empty();
  private long readAt = Long.MIN_VALUE;
  private long imageVersion = -1;

  ProcessCode(JitProcess process, long maxBytes, Tools tools) {
    this.process = process;
    this.tools = tools;
    this.map = new PerfMap(maxBytes / 2);
    this.dump = new JitDump(maxBytes / 2);
  }

  Optional<JitFunction> at(long processAddress, long time) {
    if (time > readAt) {
      refreshIfDue(AGAIN_NANOS);
    }
    Optional<JitFunction> found = known(processAddress, time);
    if (found.isEmpty() && time > readAt && refreshIfDue(AGAIN_IF_MISSING_NANOS)) {
      return known(processAddress, time);
    }
    return found;
  }

  /** The dump goes first: it has more than the map. */
  private Optional<JitFunction> known(long processAddress, long time) {
    return dumpFile
        .flatMap(file -> dump.at(file, tools.window(), processAddress, time))
        .or(() -> mapFile.flatMap(file -> map.at(file, tools.window(), processAddress)));
  }

  /** Reads the files again if it is time; returns whether it did. */
  private boolean refreshIfDue(long wait) {
    long now = Clock.monotonic();
    if (readAt != Long.MIN_VALUE && now - readAt < wait) {
      return false;
    }
    refresh(now);
    return true;
  }

  /** Searches the files and reads what is new in them. */
  void refresh(long now) {
    readAt = now;
    Clock clock = Clock.take();
    Optional<ProcessContext> alive = ProcessContext.of(tools.proc(), clock, process);
    context = alive.or(() -> context);
    context.ifPresent(s -> findMap(s, clock, alive.isPresent()));
    if (dumpFile.isEmpty() && alive.isPresent()) {
      findDump(alive.get());
    }
    try {
      if (mapFile.isPresent()) {
        FileIdentity identity = SystemCalls.statx(mapFile.get());
        map.refresh(mapFile.get(), identity, tools.window(), tools.batch());
        noteIfFull(map.isFull(), "perf map");
      }
      if (dumpFile.isPresent()) {
        dump.refresh(dumpFile.get(), SystemCalls.statx(dumpFile.get()), tools.window());
        noteIfFull(dump.isFull(), "jitdump");
      }
    } catch (SyscallException e) {
      tools.problems().accept("process " + process.pid() + ": " + e.getMessage());
    }
  }

  private void noteIfFull(boolean full, String what) {
    if (full) {
      tools
          .problems()
          .accept(
              "the " + what + " of process " + process.pid() + " is too long to keep all of it");
    }
  }

  /** Finds the map under the pid that the process knows; or, on the host, under the pid we know. */
  private void findMap(ProcessContext s, Clock clock, boolean alive) {
    String root = alive ? "/proc/" + process.pid() + "/root" : "/";
    if (!alive && !s.ourMounts()) {
      return; // its files disappeared together with it
    }
    Optional<Fd> found = openMap(root, s.innerPid(), s, clock);
    if (found.isEmpty() && s.ourMounts() && s.innerPid() != process.pid()) {
      found = openMap("/", process.pid(), s, clock);
    }
    found.ifPresent(this::takeMap);
  }

  private Optional<Fd> openMap(String root, int pid, ProcessContext s, Clock clock) {
    String path = "/tmp/perf-" + pid + ".map";
    Optional<Fd> found = tools.files().open(root, path, s.uid());
    if (found.isEmpty()) {
      return found;
    }
    long oldest = clock.wallOfBoot(s.startBootNanos()) - STALE_SLACK_NANOS;
    if (identity(found.get()).filter(i -> i.modifiedNanos() >= oldest).isEmpty()) {
      tools
          .problems()
          .accept(path + " is older than process " + process.pid() + ": left by another");
      found.get().close();
      return Optional.empty();
    }
    return found;
  }

  private void takeMap(Fd file) {
    Optional<FileIdentity> found = identity(file);
    if (found.isEmpty() || mapIdentity.isPresent() && isSameFile(mapIdentity.get(), found.get())) {
      file.close();
      return;
    }
    mapFile.ifPresent(Fd::close);
    map.reset();
    mapFile = Optional.of(file);
    mapIdentity = found;
  }

  private static boolean isSameFile(FileIdentity a, FileIdentity b) {
    return a.sameInode(b.deviceMajor(), b.deviceMinor(), b.inode());
  }

  private static Optional<FileIdentity> identity(Fd file) {
    try {
      return Optional.of(SystemCalls.statx(file));
    } catch (SyscallException e) {
      return Optional.empty();
    }
  }

  /**
   * Opens the dump through the mapping, which needs privileges; else by path, if it is that file.
   */
  private void findDump(ProcessContext s) {
    Optional<MappedJitDump> mapped = MappedJitDump.of(tools.proc(), process.pid());
    if (mapped.isEmpty()) {
      return;
    }
    dumpFile = tools.files().openLink(mapped.get().mapFile());
    if (dumpFile.isEmpty()) {
      String root = "/proc/" + process.pid() + "/root";
      Optional<Fd> found = tools.files().open(root, mapped.get().path(), s.uid());
      dumpFile = found.filter(fd -> identity(fd).filter(mapped.get()::is).isPresent());
      if (dumpFile.isEmpty()) {
        found.ifPresent(Fd::close);
      }
    }
  }

  /** Whether there is no dump yet and these mappings have not been searched for one. */
  boolean wantsDump(long version) {
    boolean wanted = dumpFile.isEmpty() && version != imageVersion;
    imageVersion = version;
    return wanted;
  }

  /** Takes a dump that somebody else opened in time. */
  void dumpAt(String readable) {
    dumpFile = tools.files().openLink(readable);
    readAt = Long.MIN_VALUE;
  }

  int openFiles() {
    return (mapFile.isPresent() ? 1 : 0) + (dumpFile.isPresent() ? 1 : 0);
  }

  long bytes() {
    return OVERHEAD + map.bytes() + dump.bytes();
  }

  int functions() {
    return map.count() + dump.count();
  }

  @Override
  public void close() {
    mapFile.ifPresent(Fd::close);
    dumpFile.ifPresent(Fd::close);
    mapFile = Optional.empty();
    dumpFile = Optional.empty();
  }
}
