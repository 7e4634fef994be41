package dev.plumb.export.plumb;

import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.VarIn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads a {@code .plumb} file block by block, up to the first incomplete block. */
public final class BlockIn implements AutoCloseable {
  /** A deflated byte yields at most 1032 bytes (RFC 1951: a match of 258 in two bits). */
  private static final long MAX_RATIO = 1040;

  private final InputStream in;
  private final Inflater inflater = new Inflater(true);
  private long position = PlumbFormat.HEAD_SIZE;
  private int type;
  private byte[] payload = {};
  private String damage = "";

  public BlockIn(InputStream in) throws IOException {
    this.in = in;
    byte[] head = in.readNBytes(PlumbFormat.HEAD_SIZE);
    boolean magic =
        head.length >= PlumbFormat.MAGIC.length
            && Arrays.equals(
                head, 0, PlumbFormat.MAGIC.length, PlumbFormat.MAGIC, 0, PlumbFormat.MAGIC.length);
    if (!magic) {
      throw new FormatException("not a .plumb file: it does not begin with PLUMB");
    }
    if (head.length < PlumbFormat.HEAD_SIZE) {
      throw new FormatException("the .plumb file ends within its head: record again");
    }
    int version =
        ByteBuffer.wrap(head)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getShort(PlumbFormat.HEAD_VERSION_OFFSET)
            & 0xffff;
    if (version > PlumbFormat.VERSION) {
      throw new FormatException(
          "written by a newer Plumb: file version %d, this Plumb reads up to %d; update Plumb"
              .formatted(version, PlumbFormat.VERSION));
    }
    if (version == 0) {
      throw new FormatException("damaged .plumb file: version 0");
    }
  }

  /** Goes to the next complete block; false at the end or where the file is damaged. */
  public boolean next() throws IOException {
    byte[] head = in.readNBytes(PlumbFormat.BLOCK_HEAD_SIZE);
    if (head.length == 0) {
      damage = "the file was cut short after byte " + position;
      return false;
    }
    if (head.length < PlumbFormat.BLOCK_HEAD_SIZE) {
      damage = "the file was cut short within a block at byte " + position;
      return false;
    }
    ByteBuffer fields = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    int codec = fields.get(PlumbFormat.BLOCK_CODEC_OFFSET);
    long rawLength = fields.getInt(PlumbFormat.BLOCK_RAW_LENGTH_OFFSET) & 0xffffffffL;
    long storedLength = fields.getInt(PlumbFormat.BLOCK_STORED_LENGTH_OFFSET) & 0xffffffffL;
    type = fields.get(PlumbFormat.BLOCK_TYPE_OFFSET) & 0xff;
    if (rawLength > PlumbFormat.MAX_BLOCK
        || storedLength > PlumbFormat.MAX_BLOCK
        || rawLength > (storedLength + 1) * MAX_RATIO) {
      damage = "the block at byte %d is damaged".formatted(position);
      return false;
    }
    byte[] stored = in.readNBytes((int) storedLength);
    if (stored.length < storedLength) {
      damage = "the file was cut short within a block at byte " + position;
      return false;
    }
    int checksum = PlumbFormat.checksum(head, stored, stored.length);
    if (checksum != fields.getInt(PlumbFormat.BLOCK_CHECKSUM_OFFSET)) {
      damage = "the block at byte %d is damaged (checksum)".formatted(position);
      return false;
    }
    payload = decode(codec, stored, (int) rawLength);
    position += PlumbFormat.BLOCK_HEAD_SIZE + storedLength;
    return true;
  }

  private byte[] decode(int codec, byte[] stored, int rawLength) {
    if (codec == PlumbFormat.CODEC_STORED && stored.length == rawLength) {
      return stored;
    }
    if (codec != PlumbFormat.CODEC_DEFLATED) {
      throw new FormatException(
          "damaged .plumb file: codec %d in the block at byte %d".formatted(codec, position));
    }
    byte[] raw = new byte[rawLength];
    inflater.reset();
    inflater.setInput(stored);
    int length = 0;
    try {
      while (length < rawLength) {
        int count = inflater.inflate(raw, length, rawLength - length);
        if (count == 0) {
          break;
        }
        length += count;
      }
    } catch (DataFormatException e) {
      throw new FormatException(
          "damaged .plumb file: the block at byte %d does not inflate".formatted(position), e);
    }
    if (length != rawLength) {
      throw new FormatException(
          "damaged .plumb file: the block at byte %d is shorter than it says".formatted(position));
    }
    return raw;
  }

  public int type() {
    return type;
  }

  /** The block's content, inflated. */
  public byte[] bytes() {
    return payload;
  }

  VarIn payload() {
    return new VarIn(payload, payload.length);
  }

  /** Why there was no next block; empty if nothing is damaged. */
  String damage() {
    return damage;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
