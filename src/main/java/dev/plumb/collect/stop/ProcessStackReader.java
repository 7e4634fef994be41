package dev.plumb.collect.stop;

import dev.plumb.collect.options.TargetException;
import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.process.ProcessTable;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntPredicate;

/**
 * Reads the stacks of a process once. The process is stopped only while registers and stacks are
 * copied; its files are opened before, and the copies are unwound and named afterwards.
 */
public final class ProcessStackReader implements AutoCloseable {
  private static final int HELD_FILES = 512;

  private final int pid;
  private final IntPredicate wanted;
  private final ProcReader reader = new ProcReader();
  private final BackingFiles files = new BackingFiles(HELD_FILES);
  private final ProcessFinder finder = new ProcessFinder(new ProcessTable(), files);
  private final Symbolizer symbolizer = new Symbolizer();

  /**
   * @param tids the threads to read; empty for all
   */
  public ProcessStackReader(int pid, List<Integer> tids) {
    this.pid = pid;
    this.wanted = tid -> tids.isEmpty() || tids.contains(tid);
  }

  /**
   * Requests debug files that this machine lacks from this server, after the process was stopped.
   */
  public void useServer(Debuginfod debuginfod) {
    symbolizer.useServer(debuginfod);
    symbolizer.askServer();
  }

  /**
   * Reads the stacks now.
   *
   * @throws SyscallException if tracing the process is not permitted
   * @throws TargetException if the process is gone
   */
  public ProcessStacks take() {
    Optional<ProcessImage> image = finder.find(livingThread(), now());
    Map<Integer, ThreadBeforeStop> before = before();
    if (before.isEmpty() || image.isEmpty()) {
      throw new TargetException("process " + pid + " ended while its stacks were being read");
    }
    ProcessStopper.Result halted =
        image.get().kernelThread() ? new ProcessStopper.Result(List.of(), 0) : halt(pid, wanted);
    List<ThreadStack> threads = new ArrayList<>();
    StackNaming naming = new StackNaming(image.get(), finder, symbolizer, now());
    Map<Integer, StoppedThread> seen = new LinkedHashMap<>();
    halted.threads().forEach(thread -> seen.put(thread.tid(), thread));
    for (int tid : seen.keySet()) {
      if (!before.containsKey(tid)) { // it was started in between
        ThreadBeforeStop.read(reader, pid, tid).ifPresent(thread -> before.put(tid, thread));
      }
    }
    before.forEach(
        (tid, thread) -> {
          if (seen.containsKey(tid)) {
            naming.halted(thread, seen.get(tid)).ifPresent(threads::add);
          } else if (image.get().kernelThread() || thread.stat().state() == 'Z') {
            threads.add(naming.unhalted(tid, thread));
          }
        });
    if (threads.isEmpty()) {
      throw new TargetException("process " + pid + " ended while its stacks were being read");
    }
    return new ProcessStacks(
        pid, image.get().comm(), threads, halted.stoppedNanos(), notes(before));
  }

  private Map<Integer, ThreadBeforeStop> before() {
    Map<Integer, ThreadBeforeStop> threads = new LinkedHashMap<>();
    for (int tid : ProcList.tids(reader, pid)) {
      if (wanted.test(tid)) {
        ThreadBeforeStop.read(reader, pid, tid).ifPresent(thread -> threads.put(tid, thread));
      }
    }
    return threads;
  }

  /**
   * A thread that is alive: /proc shows mappings only for these, and the first thread may have
   * ended.
   */
  private int livingThread() {
    for (int tid : ProcList.tids(reader, pid)) {
      if (ThreadBeforeStop.read(reader, pid, tid).map(t -> t.stat().state() != 'Z').orElse(false)) {
        return tid;
      }
    }
    return pid;
  }

  private static long now() {
    return Clock.monotonic();
  }

  /** On a thread of its own: when a tracer ends, the kernel resumes whatever it still holds. */
  private static ProcessStopper.Result halt(int pid, IntPredicate wanted) {
    CompletableFuture<ProcessStopper.Result> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("tracer")
        .start(
            () -> {
              try (ProcessStopper halt = new ProcessStopper(pid, wanted)) {
                result.complete(halt.take());
              } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
              }
            });
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static List<String> notes(Map<Integer, ThreadBeforeStop> before) {
    return before.values().stream().anyMatch(ThreadBeforeStop::kernelHidden)
        ? List.of("kernel stacks are not shown: reading them needs CAP_SYS_ADMIN; run as root")
        : List.of();
  }

  @Override
  public void close() {
    symbolizer.close();
    finder.close();
    files.close();
    reader.close();
  }
}
