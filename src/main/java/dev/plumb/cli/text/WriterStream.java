package dev.plumb.cli.text;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** UTF-8 bytes into a command's writer, which may be a terminal, a pipe or a test. */
public final class WriterStream extends OutputStream {
  private final PrintWriter writer;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final ByteBuffer bytes = ByteBuffer.allocate(16 * 1024);
  private final CharBuffer chars = CharBuffer.allocate(16 * 1024);

  public WriterStream(PrintWriter writer) {
    this.writer = writer;
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] content, int from, int length) throws IOException {
    int at = from;
    while (at < from + length) {
      int count = Math.min(bytes.remaining(), from + length - at);
      bytes.put(content, at, count);
      at += count;
      decode();
    }
    if (writer.checkError()) {
      throw new IOException("Broken pipe");
    }
  }

  private void decode() {
    bytes.flip();
    while (decoder.decode(bytes, chars, false).isOverflow()) {
      drain();
    }
    drain();
    bytes.compact();
  }

  private void drain() {
    chars.flip();
    writer.append(chars);
    chars.clear();
  }

  @Override
  public void flush() {
    writer.flush();
  }
}
