package dev.plumb.push;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What waits to be sent, oldest first: some of it in memory, the rest on disk, where it outlives
 * this process. When the disk's share is full the oldest is given up.
 */
final class Spool {
  private static final String ENDING = ".batch";

  private final Path folder;
  private final long maxBytes;
  private final long maxMemory;
  private final Deque<Batch> memory = new ArrayDeque<>();
  private final Deque<Path> disk = new ArrayDeque<>();

  /** Which file the batch lies in that was given out last; null if in none. */
  private Path givenFile;

  private Batch given;
  private long memoryBytes;
  private long diskBytes;
  private long next;
  private long droppedSamples;
  private String trouble = "";

  /** Takes over what another one left in the folder. */
  Spool(Path folder, long maxBytes, long maxMemory) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.maxMemory = maxMemory;
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(Spool::isBatch).sorted().forEach(this::found);
      } catch (IOException e) {
        trouble = "cannot read " + folder + ": " + e.getMessage();
      }
    }
  }

  private static boolean isBatch(Path file) {
    return file.getFileName().toString().matches("\\d{19}" + ENDING);
  }

  private void found(Path file) {
    disk.add(file);
    diskBytes += size(file);
    String name = file.getFileName().toString();
    next = Long.parseLong(name.substring(0, name.length() - ENDING.length())) + 1;
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  synchronized void add(Batch batch) {
    memory.add(batch);
    memoryBytes += batch.body().length;
    while (memoryBytes > maxMemory && memory.size() > 1) {
      toDisk();
    }
    notifyAll();
  }

  /** The oldest in memory is younger than all on disk. */
  private void toDisk() {
    Batch batch = memory.removeFirst();
    memoryBytes -= batch.body().length;
    byte[] bytes = batch.toBytes();
    if (bytes.length > maxBytes) {
      droppedSamples += batch.samples();
      return;
    }
    while (diskBytes + bytes.length > maxBytes && !disk.isEmpty()) {
      droppedSamples += read(disk.getFirst()).map(Batch::samples).orElse(0L);
      deleteFirst();
    }
    Path file = folder.resolve("%019d%s".formatted(next++, ENDING));
    Path unfinished = folder.resolve(file.getFileName() + ".tmp");
    try {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.write(unfinished, bytes);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      disk.add(file);
      diskBytes += bytes.length;
      givenFile = batch == given ? file : givenFile;
    } catch (IOException e) {
      droppedSamples += batch.samples();
      trouble = "cannot keep what could not be sent in " + folder + ": " + e.getMessage();
      deleteQuietly(unfinished);
    }
  }

  /** Everything to disk: the process ends. */
  synchronized void keep() {
    while (!memory.isEmpty()) {
      toDisk();
    }
  }

  /** The oldest, which stays until {@link #done}; empty if there is none within the time. */
  synchronized Optional<Batch> oldest(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (true) {
      while (!disk.isEmpty()) {
        Optional<Batch> batch = read(disk.getFirst());
        if (batch.isPresent()) {
          givenFile = disk.getFirst();
          given = batch.get();
          return batch;
        }
        deleteFirst(); // damaged, or gone
      }
      if (!memory.isEmpty()) {
        givenFile = null;
        given = memory.getFirst();
        return Optional.of(given);
      }
      long rest = (end - System.nanoTime()) / 1_000_000;
      if (rest <= 0) {
        return Optional.empty();
      }
      wait(rest);
    }
  }

  /** The one that was given out last has been dealt with. */
  synchronized void done(Batch batch) {
    if (!memory.isEmpty() && memory.getFirst() == batch) {
      memory.removeFirst();
      memoryBytes -= batch.body().length;
    } else if (!disk.isEmpty() && disk.getFirst().equals(givenFile)) {
      deleteFirst();
    }
    notifyAll();
  }

  private static Optional<Batch> read(Path file) {
    try {
      return Optional.of(Batch.of(Files.readAllBytes(file)));
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private synchronized void deleteFirst() {
    Path file = disk.removeFirst();
    givenFile = file.equals(givenFile) ? null : givenFile;
    diskBytes -= size(file);
    deleteQuietly(file);
    notifyAll();
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // it will be found again, and taken for what was not sent
    }
  }

  /** Waits until nothing is left; whether that was so in time. */
  synchronized boolean awaitEmpty(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (!memory.isEmpty() || !disk.isEmpty()) {
      long rest = (end - System.nanoTime()) / 1_000_000;
      if (rest <= 0) {
        return false;
      }
      wait(rest);
    }
    return true;
  }

  /** Requests that wait. */
  synchronized int waiting() {
    return memory.size() + disk.size();
  }

  synchronized long waitingBytes() {
    return memoryBytes + diskBytes;
  }

  /** Samples that were given up for want of room. */
  synchronized long droppedSamples() {
    return droppedSamples;
  }

  /** What is wrong with the disk; empty if nothing is. */
  synchronized String trouble() {
    return trouble;
  }
}
