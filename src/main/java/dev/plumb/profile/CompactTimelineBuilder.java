package dev.plumb.profile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collects samples for a {@link CompactTimeline}.
 *
 * <p>A temporary disk that is full costs times, not samples: values are summed in the profile, and
 * {@link #untimed()} counts what has no time.
 */
public final class CompactTimelineBuilder {
  private final int memoryChunks;
  private final Path spillFolder;
  private final List<byte[]> chunks = new ArrayList<>();
  private int[] chunkLengths = new int[16];
  private int chunkCount;
  private int spilledChunks;
  private CompactTimeline.SpillFile spill = CompactTimeline.SpillFile.NONE;
  private FileChannel channel;
  private boolean full;
  private byte[] current = new byte[CompactTimeline.CHUNK_SIZE];
  private int at;
  private long size;
  private long untimed;
  private long time;
  private int row;
  private long value;

  /** Keeps up to {@code memoryLimit} bytes in memory, the rest in the temporary folder. */
  public CompactTimelineBuilder(long memoryLimit) {
    this(memoryLimit, Path.of(System.getProperty("java.io.tmpdir")));
  }

  CompactTimelineBuilder(long memoryLimit, Path spillFolder) {
    this.memoryChunks =
        Math.clamp(memoryLimit / CompactTimeline.CHUNK_SIZE, 1, Integer.MAX_VALUE / 2);
    this.spillFolder = spillFolder;
  }

  public void append(long timeNanos, int row, int cpu, long value) {
    if (at > CompactTimeline.CHUNK_SIZE - CompactTimeline.MAX_SAMPLE_SIZE) {
      finishChunk();
    }
    if (full) {
      untimed++;
      return;
    }
    varint(zigzag(timeNanos - this.time));
    varint(zigzag((long) row - this.row));
    boolean differs = value != this.value;
    varint((long) cpu << 1 | (differs ? 1 : 0));
    if (differs) {
      varint(zigzag(value));
    }
    this.time = timeNanos;
    this.row = row;
    this.value = value;
    size++;
  }

  public long size() {
    return size;
  }

  /** The number of samples that were dropped because the temporary disk was full. */
  public long untimed() {
    return untimed;
  }

  /** The size of the samples so far, in memory and on disk. */
  public long byteSize() {
    long sum = at;
    for (int i = 0; i < chunkCount; i++) {
      sum += chunkLengths[i];
    }
    return sum;
  }

  /** Completes the timeline; the builder cannot be used again. */
  public CompactTimeline build() {
    if (at > 0) {
      chunks.add(Arrays.copyOf(current, at));
      addLength(at);
    }
    return new CompactTimeline(
        size, Arrays.copyOf(chunkLengths, chunkCount), spilledChunks, List.copyOf(chunks), spill);
  }

  private void finishChunk() {
    if (full) {
      return;
    }
    if (chunks.size() < memoryChunks) {
      chunks.add(current);
      addLength(at);
      current = new byte[CompactTimeline.CHUNK_SIZE];
      at = 0;
      return;
    }
    try {
      spillAll();
    } catch (IOException e) {
      full = true;
    }
  }

  /** Moves all chunks in memory to the file, so that the file always holds the oldest. */
  private void spillAll() throws IOException {
    if (channel == null) {
      channel = openUnnamed();
      spill = new CompactTimeline.ChannelSpill(channel);
    }
    addLength(at);
    chunks.add(current);
    long position = (long) spilledChunks * CompactTimeline.CHUNK_SIZE;
    try {
      for (byte[] chunk : chunks) {
        ByteBuffer buffer = ByteBuffer.wrap(chunk);
        while (buffer.hasRemaining()) {
          position += channel.write(buffer, position);
        }
      }
    } catch (IOException e) {
      // The chunks stay in memory, which now exceeds its limit by one chunk.
      at = 0;
      throw e;
    }
    spilledChunks += chunks.size();
    current = chunks.getLast();
    chunks.clear();
    at = 0;
  }

  /** The JDK unlinks a file that is deleted on close as soon as it is open (UnixChannelFactory). */
  private FileChannel openUnnamed() throws IOException {
    Path file = Files.createTempFile(spillFolder, "plumb-times-", ".tmp");
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

  private void addLength(int length) {
    if (chunkCount == chunkLengths.length) {
      chunkLengths = Arrays.copyOf(chunkLengths, chunkCount * 2);
    }
    chunkLengths[chunkCount++] = length;
  }

  private void varint(long coded) {
    long rest = coded;
    while ((rest & ~0x7fL) != 0) {
      current[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    current[at++] = (byte) rest;
  }

  private static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }
}
