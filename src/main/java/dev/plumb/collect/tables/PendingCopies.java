package dev.plumb.collect.tables;

import dev.plumb.process.BackingFile;
import dev.plumb.process.ProcessImage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Copies of stacks whose tables are not made yet, in an unnamed temporary file: copies are large,
 * and tables may take seconds if their files are not cached.
 */
final class PendingCopies implements AutoCloseable {
  private static final long MOST_BYTES = 256L << 20;
  private static final int MOST = 65_536;

  /**
   * A copy in the file.
   *
   * @param image the image of its process; its mappings are kept until the copy is unwound
   */
  record Pending(long position, int length, int owner, ProcessImage image) {}

  private final Map<BackingFile, List<Pending>> byFile = new HashMap<>();
  private final Queue<Pending> ready = new ArrayDeque<>();
  private Optional<FileChannel> channel = Optional.empty();
  private ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.nativeOrder());
  private long end;
  private int count;

  /** Keeps a {@code copy_record} until a file's table is made; false if that is not possible. */
  boolean add(BackingFile waitsFor, MemorySegment record, int owner, ProcessImage image) {
    Optional<Pending> kept = keep(record, owner, image);
    kept.ifPresent(pending -> put(waitsFor, pending));
    return kept.isPresent();
  }

  /** Keeps one that could be unwound now; false if that is not possible. */
  boolean addReady(MemorySegment record, int owner, ProcessImage image) {
    Optional<Pending> kept = keep(record, owner, image);
    kept.ifPresent(ready::add);
    return kept.isPresent();
  }

  private Optional<Pending> keep(MemorySegment record, int owner, ProcessImage image) {
    int length = (int) record.byteSize();
    if (count >= MOST || end + length > MOST_BYTES || !write(record, length)) {
      return Optional.empty();
    }
    Pending kept = new Pending(end, length, owner, image);
    image.hold();
    end += length;
    count++;
    return Optional.of(kept);
  }

  /** Waits on for another file. */
  void addAgain(BackingFile waitsFor, Pending pending) {
    put(waitsFor, pending);
  }

  private void put(BackingFile waitsFor, Pending pending) {
    byFile.computeIfAbsent(waitsFor, file -> new ArrayList<>()).add(pending);
  }

  private boolean write(MemorySegment record, int length) {
    try {
      if (channel.isEmpty()) {
        channel = Optional.of(open());
      }
      reserve(length);
      MemorySegment.copy(record, ValueLayout.JAVA_BYTE, 0, buffer.array(), 0, length);
      buffer.limit(length).position(0);
      long at = end;
      while (buffer.hasRemaining()) {
        at += channel.get().write(buffer, at);
      }
      return true;
    } catch (IOException e) {
      return false; // the temporary disk is full
    }
  }

  private void reserve(int length) {
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
    }
    buffer.clear();
  }

  /** Reads the record of a copy; it is valid until the next one is. */
  Optional<MemorySegment> read(Pending pending) {
    try {
      reserve(pending.length());
      buffer.limit(pending.length());
      while (buffer.hasRemaining()) {
        if (channel.get().read(buffer, pending.position() + buffer.position()) < 0) {
          return Optional.empty();
        }
      }
      long[] words = new long[(pending.length() + 7) / 8]; // aligned, as records are
      buffer.flip();
      MemorySegment copy = MemorySegment.ofArray(words);
      MemorySegment.copy(MemorySegment.ofArray(buffer.array()), 0, copy, 0, pending.length());
      return Optional.of(copy.asSlice(0, pending.length()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static FileChannel open() throws IOException {
    Path file = Files.createTempFile("plumb-copies-", ".tmp");
    try {
      return FileChannel.open(
          file,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.DELETE_ON_CLOSE);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** The table of a file is made: the copies that waited for it can be unwound. */
  void ready(BackingFile file) {
    List<Pending> waiting = byFile.remove(file);
    if (waiting != null) {
      ready.addAll(waiting);
    }
  }

  /** Whatever they wait for: no more tables are made. */
  void allReady() {
    byFile.values().forEach(ready::addAll);
    byFile.clear();
  }

  /** The next one that can be unwound. */
  Optional<Pending> next() {
    return Optional.ofNullable(ready.poll());
  }

  /** A copy was unwound. */
  void done(Pending pending) {
    pending.image().release();
    if (--count == 0) {
      end = 0; // the file is used again from its beginning
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  @Override
  public void close() {
    channel.ifPresent(
        open -> {
          try {
            open.close();
          } catch (IOException e) {
            // It has no name: it disappears with this process.
          }
        });
    channel = Optional.empty();
  }
}
