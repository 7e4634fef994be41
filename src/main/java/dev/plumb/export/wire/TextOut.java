package dev.plumb.export.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes text as UTF-8 to a stream, without allocating an object per line. */
public final class TextOut {
  private final OutputStream out;
  private final byte[] buffer = new byte[64 * 1024];
  private int at;

  public TextOut(OutputStream out) {
    this.out = out;
  }

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public TextOut bytes(byte[] bytes, int length) throws IOException {
    if (length > buffer.length - at) {
      flushBuffer();
      if (length > buffer.length) {
        out.write(bytes, 0, length);
        return this;
      }
    }
    System.arraycopy(bytes, 0, buffer, at, length);
    at += length;
    return this;
  }

  public TextOut bytes(byte[] bytes) throws IOException {
    return bytes(bytes, bytes.length);
  }

  public TextOut text(String text) throws IOException {
    return bytes(utf8(text));
  }

  public TextOut ascii(char c) throws IOException {
    if (at == buffer.length) {
      flushBuffer();
    }
    buffer[at++] = (byte) c;
    return this;
  }

  public TextOut number(long number) throws IOException {
    if (number < 0) {
      return text(Long.toString(number));
    }
    if (buffer.length - at < 20) {
      flushBuffer();
    }
    int digits = 1;
    for (long rest = number / 10; rest > 0; rest /= 10) {
      digits++;
    }
    long rest = number;
    for (int i = at + digits - 1; i >= at; i--) {
      buffer[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    at += digits;
    return this;
  }

  public void flush() throws IOException {
    flushBuffer();
    out.flush();
  }

  private void flushBuffer() throws IOException {
    out.write(buffer, 0, at);
    at = 0;
  }
}
