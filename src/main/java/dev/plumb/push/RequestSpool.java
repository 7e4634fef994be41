package dev.plumb.push;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The requests that wait to be sent: some in memory, the rest on disk, where they outlive this
 * process. The oldest goes first, but a request that has to wait lets others pass. When the disk
 * space is used up, the oldest request is dropped.
 *
 * <p>A request is in the file {@code NUMBER.batch}; its parts are in {@code NUMBER-1.batch} and so
 * on. Parts are sent only after the whole request is deleted: if both exist, there was a crash in
 * between, and the whole request counts.
 */
final class RequestSpool {
  private static final String EXTENSION = ".batch";

  /** A waiting request; it belongs to the spool until it is taken. */
  static final class Entry {
    private final String name;
    private final long bytes;
    private Optional<PushBatch> inMemory;
    private boolean onDisk;
    private boolean taken;
    private boolean gone;
    private int delays;
    private long notBefore;

    private Entry(String name, long bytes, Optional<PushBatch> inMemory, boolean onDisk) {
      this.name = name;
      this.bytes = bytes;
      this.inMemory = inMemory;
      this.onDisk = onDisk;
    }

    /** How often it was put off. */
    int delays() {
      return delays;
    }
  }

  /** A request that was handed out, until it is done, put off or replaced. */
  record Taken(Entry entry, PushBatch batch) {}

  private final Path folder;
  private final long maxBytes;
  private final long maxMemory;
  private final LinkedHashSet<Entry> memory = new LinkedHashSet<>();
  private final LinkedHashSet<Entry> disk = new LinkedHashSet<>();
  private final Deque<Entry> ready = new ArrayDeque<>();
  private final PriorityQueue<Entry> later =
      new PriorityQueue<>(Comparator.comparingLong((Entry e) -> e.notBefore));
  private long memoryBytes;
  private long diskBytes;
  private long next;
  private long droppedSamples;
  private String trouble = "";

  /** Takes over what another process left in the folder. */
  RequestSpool(Path folder, long maxBytes, long maxMemory) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.maxMemory = maxMemory;
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        found(files.filter(RequestSpool::isBatch).sorted().toList());
      } catch (IOException e) {
        trouble = "cannot read " + folder + ": " + e.getMessage();
      }
    }
  }

  private static boolean isBatch(Path file) {
    return file.getFileName().toString().matches("\\d{19}(-\\d+)*" + EXTENSION);
  }

  private void found(List<Path> files) {
    Set<String> names = new HashSet<>();
    for (Path file : files) {
      String name = file.getFileName().toString();
      names.add(name.substring(0, name.length() - EXTENSION.length()));
    }
    for (String name : names.stream().sorted().toList()) {
      next = Math.max(next, Long.parseLong(name.substring(0, 19)) + 1);
      if (isPartOfAny(name, names)) {
        deleteQuietly(file(name));
      } else {
        entered(new Entry(name, size(file(name)), Optional.empty(), true));
      }
    }
  }

  private static boolean isPartOfAny(String name, Set<String> names) {
    for (int at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1)) {
      if (names.contains(name.substring(0, at))) {
        return true;
      }
    }
    return false;
  }

  private Path file(String name) {
    return folder.resolve(name + EXTENSION);
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  private void entered(Entry entry) {
    if (entry.onDisk) {
      disk.add(entry);
      diskBytes += entry.bytes;
    } else {
      memory.add(entry);
      memoryBytes += entry.bytes;
    }
    ready.add(entry);
  }

  synchronized void add(PushBatch batch) {
    entered(new Entry("%019d".formatted(next++), batch.body().length, Optional.of(batch), false));
    while (memoryBytes > maxMemory && memory.size() > 1) {
      toDisk(memory.getFirst());
    }
    notifyAll();
  }

  private void toDisk(Entry entry) {
    PushBatch batch = entry.inMemory.orElseThrow();
    memory.remove(entry);
    memoryBytes -= entry.bytes;
    if (!write(entry.name, batch)) {
      droppedSamples += batch.samples();
      entry.gone = true;
      return;
    }
    entry.inMemory = Optional.empty();
    entry.onDisk = true;
    disk.add(entry);
    diskBytes += entry.bytes;
  }

  /** Writes a file, dropping the oldest requests if space is short; false if it cannot. */
  private boolean write(String name, PushBatch batch) {
    byte[] bytes = batch.toBytes();
    if (bytes.length > maxBytes) {
      return false;
    }
    while (diskBytes + bytes.length > maxBytes) {
      Optional<Entry> oldest = disk.stream().filter(e -> !e.taken).findFirst();
      if (oldest.isEmpty()) {
        return false;
      }
      droppedSamples += read(oldest.get().name).map(PushBatch::samples).orElse(0L);
      remove(oldest.get());
    }
    Path unfinished = folder.resolve(name + EXTENSION + ".tmp");
    try {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Files.write(unfinished, bytes);
      Files.move(unfinished, file(name), StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (IOException e) {
      trouble = "cannot keep what could not be sent in " + folder + ": " + e.getMessage();
      deleteQuietly(unfinished);
      return false;
    }
  }

  /** Writes everything to disk, because the process ends. */
  synchronized void keep() {
    while (!memory.isEmpty()) {
      toDisk(memory.getFirst());
    }
  }

  /** The oldest request that may be sent; empty if there is none within that time. */
  synchronized Optional<Taken> take(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (true) {
      long now = System.nanoTime();
      while (!later.isEmpty() && later.peek().notBefore - now <= 0) {
        ready.addFirst(later.poll());
      }
      while (!ready.isEmpty()) {
        Entry entry = ready.poll();
        Optional<PushBatch> batch =
            entry.gone ? Optional.empty() : entry.inMemory.or(() -> read(entry.name));
        if (batch.isPresent()) {
          entry.taken = true;
          return Optional.of(new Taken(entry, batch.get()));
        }
        remove(entry); // damaged, or gone
      }
      long until = later.isEmpty() ? end : Math.min(end, later.peek().notBefore);
      if (end - now <= 0) {
        return Optional.empty();
      }
      wait(Math.max(1, (until - now) / 1_000_000));
    }
  }

  /** Deletes a request that was sent or refused. */
  synchronized void done(Entry entry) {
    remove(entry);
  }

  /** Returns a request, to be sent no earlier than after {@code nanos}. */
  synchronized void putOff(Entry entry, long nanos) {
    entry.taken = false;
    entry.delays++;
    entry.notBefore = System.nanoTime() + nanos;
    later.add(entry);
    notifyAll();
  }

  /** Returns a request, to be sent as soon as possible. */
  synchronized void putBack(Entry entry) {
    entry.taken = false;
    ready.addFirst(entry);
    notifyAll();
  }

  /** Puts parts in the place of a request. */
  synchronized void replace(Entry whole, List<PushBatch> parts) {
    List<Entry> entries = new ArrayList<>();
    for (PushBatch part : parts) {
      String name = whole.name + "-" + (entries.size() + 1);
      boolean kept = whole.onDisk && write(name, part);
      entries.add(
          new Entry(name, part.body().length, kept ? Optional.empty() : Optional.of(part), kept));
    }
    remove(whole);
    entries.reversed().forEach(this::enteredFirst);
    notifyAll();
  }

  private void enteredFirst(Entry entry) {
    entered(entry);
    ready.removeLast();
    ready.addFirst(entry);
  }

  private Optional<PushBatch> read(String name) {
    try {
      return Optional.of(PushBatch.of(Files.readAllBytes(file(name))));
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private void remove(Entry entry) {
    entry.gone = true;
    if (memory.remove(entry)) {
      memoryBytes -= entry.bytes;
    }
    if (disk.remove(entry)) {
      diskBytes -= entry.bytes;
      deleteQuietly(file(entry.name));
    }
    notifyAll();
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next process will find it and send it again.
    }
  }

  /** Waits until nothing is left; false if that takes longer. */
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

  /** The number of waiting requests. */
  synchronized int waiting() {
    return memory.size() + disk.size();
  }

  /** The number of requests that were put off. */
  synchronized int putOff() {
    return later.size();
  }

  synchronized long waitingBytes() {
    return memoryBytes + diskBytes;
  }

  /** Samples that were dropped for lack of space. */
  synchronized long droppedSamples() {
    return droppedSamples;
  }

  /** The latest problem with the disk; empty if there is none. */
  synchronized String trouble() {
    return trouble;
  }
}
