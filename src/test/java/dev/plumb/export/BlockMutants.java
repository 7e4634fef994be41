package dev.plumb.export;

import dev.plumb.export.plumb.BlockIn;
import dev.plumb.export.plumb.PlumbFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Damages the inside of blocks of a {@code .plumb} file and puts their checksums right. */
public final class BlockMutants {
  private BlockMutants() {}

  public static byte[] mutate(byte[] original, Random random) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(original, 0, PlumbFormat.HEAD_SIZE);
    int victim = random.nextInt(14);
    try (BlockIn blocks = new BlockIn(new ByteArrayInputStream(original))) {
      for (int i = 0; blocks.next(); i++) {
        byte[] payload = blocks.bytes();
        boolean change = i == victim && payload.length > 0;
        block(out, blocks.type(), change ? Mutants.mutate(payload, random) : payload);
      }
    }
    return out.toByteArray();
  }

  private static void block(ByteArrayOutputStream out, int type, byte[] payload)
      throws IOException {
    ByteBuffer head =
        ByteBuffer.allocate(PlumbFormat.BLOCK_HEAD_SIZE).order(ByteOrder.LITTLE_ENDIAN);
    head.put(PlumbFormat.BLOCK_TYPE_OFFSET, (byte) type);
    head.putInt(PlumbFormat.BLOCK_RAW_LENGTH_OFFSET, payload.length);
    head.putInt(PlumbFormat.BLOCK_STORED_LENGTH_OFFSET, payload.length);
    head.putInt(
        PlumbFormat.BLOCK_CHECKSUM_OFFSET,
        PlumbFormat.checksum(head.array(), payload, payload.length));
    out.write(head.array());
    out.write(payload);
  }
}
