package dev.plumb.export.wire;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** Reads whole inputs into memory, up to a limit that no real profile reaches. */
public final class Bytes {
  static final int MAX_SIZE = 1 << 30;

  private Bytes() {}

  /** All of the stream. */
  public static byte[] all(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_SIZE);
    if (bytes.length == MAX_SIZE) {
      throw new FormatException("the profile is larger than 1 GB: record a shorter time");
    }
    return bytes;
  }

  public static boolean isGzip(byte[] head) {
    return head.length >= 2 && head[0] == 0x1f && (head[1] & 0xff) == 0x8b;
  }

  /** Inflates the stream; {@link #all} reports damage as a FormatException. */
  public static byte[] gunzip(InputStream in) throws IOException {
    try {
      return all(new GZIPInputStream(in, 64 * 1024));
    } catch (java.util.zip.ZipException | java.io.EOFException e) {
      throw new FormatException(
          "the gzip data is damaged or cut short (%s); copy or record the file again"
              .formatted(e.getMessage()),
          e);
    }
  }
}
