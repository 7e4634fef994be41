package dev.plumb.export;

import dev.plumb.profile.Recording;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.ZoneOffset;

/** Writing and reading in memory. */
final class RoundTrip {
  static final WriteOptions OPTIONS = WriteOptions.DEFAULT.withZone(ZoneOffset.UTC);

  private RoundTrip() {}

  static byte[] bytes(Recording recording, String format, WriteOptions options) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Formats.write(recording, out, Formats.byName(format), options);
    return out.toByteArray();
  }

  static Reading reread(Recording recording, String format, WriteOptions options)
      throws IOException {
    return Formats.read(new ByteArrayInputStream(bytes(recording, format, options)));
  }
}
