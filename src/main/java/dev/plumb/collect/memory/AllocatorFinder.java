package dev.plumb.collect.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.options.MemoryOptions;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.linux.proc.ProcReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the allocators of the target as processes start and load libraries; reports each once. */
final class AllocatorFinder {
  /** All of the machine's processes are looked at again that seldom. */
  private static final int TICKS_BETWEEN_LOOKS = 10;

  /** Takes an allocator. */
  interface Taker {
    /**
     * @param pid the process to probe; 0 for all
     * @return false to get it again
     */
    boolean take(Allocator allocator, int pid);
  }

  private final String mode;
  private final Target target;
  private final MemoryOptions options;
  private final Allocators allocators;
  private final Set<String> told = new HashSet<>();
  private int ticks;

  AllocatorFinder(String mode, RecordOptions all) {
    this.mode = mode;
    this.target = all.target();
    this.options = all.memory();
    this.allocators = new Allocators(options.library());
  }

  /** Reports the allocators that are there now, or will be when the command is started. */
  void start(Taker taker) {
    if (options.library().contains("/")) {
      tell(ofLibrary(options.library()), 0, taker);
    }
    if (!target.pids().isEmpty()) {
      target.pids().forEach(pid -> tellProcess(pid, taker));
      return;
    }
    if (!options.command().isEmpty()) {
      allocators.ofCommand(options.command()).forEach(a -> tell(a, 0, taker));
    }
    if (told.isEmpty() || !target.launched()) {
      allocators.ofAll().forEach(a -> tell(a, 0, taker));
    }
    if (told.isEmpty()) {
      throw new ModeException(mode + ": no process has a known allocator");
    }
  }

  private Allocator ofLibrary(String path) {
    return Allocator.in(Path.of(path))
        .orElseThrow(() -> new ModeException(mode + ": " + path + " has no malloc and free"));
  }

  /** What runs now may have other allocators than what ran before. */
  void tick(KernelPrograms kernel, Taker taker) {
    if (!target.pids().isEmpty()) {
      kernel.map("target_tgids").forEach((pid, one) -> tellProcess(pid.get(JAVA_INT, 0), taker));
    } else if (target.launched()) {
      try (ProcReader reader = new ProcReader()) {
        kernel
            .map("target_tgids")
            .forEach((pid, one) -> tellAll(reader, pid.get(JAVA_INT, 0), taker));
      }
    } else if (++ticks % TICKS_BETWEEN_LOOKS == 0) {
      allocators.ofAll().forEach(a -> tell(a, 0, taker));
    }
  }

  private void tellAll(ProcReader reader, int pid, Taker taker) {
    allocators.of(reader, pid).forEach(a -> tell(a, 0, taker));
  }

  private void tellProcess(int pid, Taker taker) {
    try (ProcReader reader = new ProcReader()) {
      List<Allocator> found = allocators.of(reader, pid);
      found.forEach(allocator -> tell(allocator, pid, taker));
    }
  }

  private void tell(Allocator allocator, int pid, Taker taker) {
    Optional<String> identity = identity(allocator.path());
    if (identity.isPresent() && told.add(pid + " " + identity.get())) {
      if (!taker.take(allocator, pid)) {
        told.remove(pid + " " + identity.get());
      }
    }
  }

  /** A file may be reached by several paths; two probes in one place would see frees twice. */
  private static Optional<String> identity(Path path) {
    try {
      return Optional.of(
          "" + Files.readAttributes(path, BasicFileAttributes.class).fileKey()); // device, inode
    } catch (IOException e) {
      return Optional.empty(); // its process has ended
    }
  }
}
