package dev.plumb.collect;

import dev.plumb.collect.options.Target;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.tables.Unwinding;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFile;
import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.process.ProcessTable;
import dev.plumb.process.SideBand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Knows which processes there are and what they have mapped, from the kernel's events and from
 * /proc, up to a moment that advances ({@link #settled}). For one thread.
 */
final class ProcessTracking implements AutoCloseable {
  private static final int MAX_HELD_FILES = 4096;
  private static final int RLIMIT_NOFILE = 7;

  /** How many of the busiest processes are prepared for when the whole machine is recorded. */
  private static final int BUSIEST = 48;

  /** Samples of a process may arrive this long after its end. */
  private static final long KEPT_AFTER_END_NANOS = 1_000_000_000;

  private final ProcessTable table = new ProcessTable();
  private final BackingFiles files = new BackingFiles(heldFiles());
  private final ProcessFinder finder = new ProcessFinder(table, files);
  private final RawProcesses processes = new RawProcesses(new Finder(), finder::place);
  private final boolean hostsPids;
  private final SideBand sideBand;
  private long settled;

  ProcessTracking() {
    try (ProcReader reader = new ProcReader()) {
      hostsPids = ProcNamespaces.isHosts(reader, "pid");
      sideBand = new SideBand(table, files, Cpus.online());
    } catch (RuntimeException e) {
      finder.close();
      files.close();
      throw e;
    }
  }

  /**
   * Half of the descriptors that are allowed: the rest is for everything else, outputs above all.
   */
  private static int heldFiles() {
    return Math.clamp(ProcessCalls.getrlimit(RLIMIT_NOFILE) >>> 1, 1, MAX_HELD_FILES);
  }

  /**
   * In a separate pid namespace, /proc and the side band number processes differently than the
   * kernel side does: better no name than another process's.
   */
  private final class Finder implements RawProcesses.Finder {
    @Override
    public Optional<ProcessImage> find(int pid, long time) {
      return hostsPids ? finder.find(pid, time) : Optional.empty();
    }

    @Override
    public void refresh(ProcessImage image, long time) {
      finder.refresh(image, time);
    }
  }

  RawProcesses processes() {
    return processes;
  }

  ProcessFinder finder() {
    return finder;
  }

  /** Whether pids are those of the kernel. */
  boolean hostsPids() {
    return hostsPids;
  }

  /** Everything that happened to processes up to this time is known. */
  long settled() {
    return settled;
  }

  /** Applies the events that have come. */
  void drain() {
    settled = sideBand.drain();
  }

  /** Applies all events; no more will come. */
  void drainAll() {
    sideBand.drainAll();
    settled = Long.MAX_VALUE;
  }

  void forgetEnded() {
    table.forgetEnded(settled - KEPT_AFTER_END_NANOS);
  }

  /** Reads some of the processes in /proc that have yet to be read. */
  void scanSome() {
    finder.scanSome();
  }

  /**
   * Looks at the processes that exist already. Of a command, that is only the one it is forked
   * from.
   */
  void scan(Target target) {
    if (target.launched()) {
      finder.scanLater(List.of(ProcessCalls.getpid()));
      finder.scanSome();
    } else {
      finder.scanLater(target.pids());
    }
  }

  /** CPUs may come online. */
  void followCpus() {
    sideBand.follow(Cpus.online());
  }

  /** The processes of a target, or else the busiest ones. */
  List<ProcessImage> running(Target target) {
    long now = Recorder.now();
    List<Integer> pids = target.pids().isEmpty() ? finder.busiest(BUSIEST) : target.pids();
    return pids.stream().flatMap(pid -> processes.find(pid, now).stream()).toList();
  }

  /** If too many files are open, closes those that nobody needs any more. */
  void releaseFiles(RawStacks stacks, Unwinding unwinding) {
    if (files.isNearlyFull()) {
      Set<BackingFile> inUse = new HashSet<>();
      table.addFiles(inUse);
      stacks.regions().addFiles(inUse);
      unwinding.addFiles(inUse);
      unwinding.keepOnly(inUse);
      files.release(inUse);
    }
  }

  /** What costs names and stacks, but no samples. */
  Optional<String> trouble() {
    List<String> trouble = new ArrayList<>();
    if (sideBand.lost() > 0) {
      trouble.add(sideBand.lost() + " events of processes lost");
    }
    if (files.refused() > 0) {
      trouble.add("too many files to hold open: " + files.refused());
    }
    return trouble.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", trouble));
  }

  @Override
  public void close() {
    finder.close();
    sideBand.close();
    files.close();
  }
}
