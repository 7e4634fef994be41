package dev.plumb.elf;

import io.airlift.compress.v3.zstd.ZstdInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * A compressed section, to be decompressed piece by piece to somewhere else: large ones would take
 * more memory than there is to spare.
 *
 * @param size the decompressed size that its header claims
 */
public record CompressedSection(Section section, long size, ElfBytes compressed, boolean zstd) {
  private static final int CHUNK = 1 << 16;

  /**
   * Its content, which may turn out to be shorter or longer than claimed. Read it within {@link
   * LostPages#guard}; damaged content is an IOException.
   */
  public InputStream open() throws IOException {
    InputStream bytes = new SectionStream(compressed);
    return zstd ? new Careful(new ZstdInputStream(bytes)) : new Inflating(bytes);
  }

  /** Gives its native memory back. */
  private static final class Inflating extends InflaterInputStream {
    Inflating(InputStream in) {
      super(in, new Inflater(), CHUNK);
    }

    @Override
    public void close() throws IOException {
      inf.end();
      super.close();
    }
  }

  /** Turns what broken data makes a decompressor throw into IOExceptions. */
  private static final class Careful extends FilterInputStream {
    Careful(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      try {
        return super.read(target, offset, length);
      } catch (ElfException e) {
        throw e;
      } catch (RuntimeException | OutOfMemoryError e) {
        throw new IOException("broken zstd data", e);
      }
    }
  }
}
