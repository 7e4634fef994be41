package dev.plumb.profile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * A timeline with about eight bytes per sample, in bounded memory.
 *
 * <p>Samples are stored one after another in chunks; none spans two. A sample is
 *
 * <pre>
 *   varint  time  − the previous sample's time, zigzag
 *   varint  row   − the previous sample's row, zigzag
 *   varint  cpu &lt;&lt; 1 | (value differs from the previous sample's)
 *   varint  value, zigzag, only if it differs
 * </pre>
 *
 * Chunks beyond the memory limit are in an unlinked temporary file, which disappears with the
 * process in any case.
 */
public final class CompactTimeline implements Timeline {
  /** The default memory limit of a builder; there may be one builder per mode. */
  public static final long DEFAULT_MEMORY_LIMIT =
      Math.clamp(Runtime.getRuntime().maxMemory() / 64, 1L << 20, 32L << 20);

  static final int CHUNK_SIZE = 64 * 1024;

  /** Four 64-bit varints of maximum length. */
  static final int MAX_SAMPLE_SIZE = 40;

  private final long size;
  private final int[] chunkLengths;
  private final int spilledChunks;
  private final List<byte[]> chunks;
  private final SpillFile spill;

  CompactTimeline(
      long size, int[] chunkLengths, int spilledChunks, List<byte[]> chunks, SpillFile spill) {
    this.size = size;
    this.chunkLengths = chunkLengths;
    this.spilledChunks = spilledChunks;
    this.chunks = chunks;
    this.spill = spill;
  }

  /** Collects samples with the default memory limit. */
  public static CompactTimelineBuilder builder() {
    return new CompactTimelineBuilder(DEFAULT_MEMORY_LIMIT);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void forEach(Visitor visitor) {
    Decoder decoder = new Decoder(visitor);
    byte[] read = spilledChunks == 0 ? new byte[0] : new byte[CHUNK_SIZE];
    for (int i = 0; i < chunkLengths.length; i++) {
      byte[] chunk = read;
      if (i < spilledChunks) {
        spill.read((long) i * CHUNK_SIZE, read, chunkLengths[i]);
      } else {
        chunk = chunks.get(i - spilledChunks);
      }
      decoder.chunk(chunk, chunkLengths[i]);
    }
  }

  @Override
  public void close() {
    spill.close();
  }

  /** Reads chunks in order; what a sample is a difference to goes on from chunk to chunk. */
  private static final class Decoder {
    private final Visitor visitor;
    private long time;
    private int row;
    private long value;
    private byte[] bytes;
    private int at;

    Decoder(Visitor visitor) {
      this.visitor = visitor;
    }

    void chunk(byte[] chunk, int length) {
      bytes = chunk;
      at = 0;
      while (at < length) {
        time += zigzag(varint());
        row += (int) zigzag(varint());
        long cpu = varint();
        if ((cpu & 1) != 0) {
          value = zigzag(varint());
        }
        visitor.sample(time, row, (int) (cpu >>> 1), value);
      }
    }

    private long varint() {
      byte first = bytes[at++];
      if (first >= 0) {
        return first;
      }
      long result = first & 0x7f;
      for (int shift = 7; ; shift += 7) {
        byte b = bytes[at++];
        result |= (long) (b & 0x7f) << shift;
        if (b >= 0) {
          return result;
        }
      }
    }

    private static long zigzag(long coded) {
      return coded >>> 1 ^ -(coded & 1);
    }
  }

  /** Where chunks go that memory has no room for. */
  interface SpillFile {
    SpillFile NONE =
        new SpillFile() {
          @Override
          public void read(long position, byte[] into, int length) {
            throw new IllegalStateException("nothing was spilled");
          }

          @Override
          public void close() {}
        };

    void read(long position, byte[] into, int length);

    void close();
  }

  /** A spill file on disk. */
  record ChannelSpill(FileChannel channel) implements SpillFile {
    @Override
    public void read(long position, byte[] into, int length) {
      ByteBuffer buffer = ByteBuffer.wrap(into, 0, length);
      try {
        while (buffer.hasRemaining()) {
          if (channel.read(buffer, position + buffer.position()) < 0) {
            throw new IOException("the temporary file of sample times ended early");
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
