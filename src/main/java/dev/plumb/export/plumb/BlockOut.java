package dev.plumb.export.plumb;

import dev.plumb.export.wire.VarOut;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Writes the header of a {@code .plumb} file, then blocks with checksums. */
final class BlockOut implements AutoCloseable {
  private final OutputStream out;
  private final Deflater deflater = new Deflater(2, true);
  private byte[] deflated = new byte[64 * 1024];

  BlockOut(OutputStream out) throws IOException {
    this.out = out;
    ByteBuffer head = ByteBuffer.allocate(PlumbFormat.HEAD_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    head.put(PlumbFormat.MAGIC);
    head.putShort(PlumbFormat.HEAD_VERSION_OFFSET, (short) PlumbFormat.VERSION);
    out.write(head.array());
  }

  /** Writes the payload as a block and empties it. */
  void block(int type, VarOut payload) throws IOException {
    int length = deflate(payload);
    boolean smaller = length < payload.size();
    byte[] stored = smaller ? deflated : payload.array();
    int storedLength = smaller ? length : payload.size();
    ByteBuffer head =
        ByteBuffer.allocate(PlumbFormat.BLOCK_HEAD_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    head.put(PlumbFormat.BLOCK_TYPE_OFFSET, (byte) type);
    head.put(
        PlumbFormat.BLOCK_CODEC_OFFSET,
        (byte) (smaller ? PlumbFormat.CODEC_DEFLATED : PlumbFormat.CODEC_STORED));
    head.putInt(PlumbFormat.BLOCK_RAW_LENGTH_OFFSET, payload.size());
    head.putInt(PlumbFormat.BLOCK_STORED_LENGTH_OFFSET, storedLength);
    head.putInt(
        PlumbFormat.BLOCK_CHECKSUM_OFFSET,
        PlumbFormat.checksum(head.array(), stored, storedLength));
    out.write(head.array());
    out.write(stored, 0, storedLength);
    payload.clear();
  }

  /** The same without checked exceptions. */
  void blockUnchecked(int type, VarOut payload) {
    try {
      block(type, payload);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int deflate(VarOut payload) {
    deflater.reset();
    deflater.setInput(payload.array(), 0, payload.size());
    deflater.finish();
    int length = 0;
    while (!deflater.finished()) {
      if (length == deflated.length) {
        deflated = Arrays.copyOf(deflated, length * 2);
      }
      length += deflater.deflate(deflated, length, deflated.length - length);
    }
    return length;
  }

  @Override
  public void close() {
    deflater.end();
  }
}
