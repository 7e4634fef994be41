package dev.plumb.export;

import dev.plumb.export.file.Reading;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Recording;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.ZoneOffset;

/** Writing and reading in memory. */
public final class RoundTrip {
  public static final WriteOptions OPTIONS = WriteOptions.DEFAULT.withZone(ZoneOffset.UTC);

  private RoundTrip() {}

  public static byte[] bytes(Recording recording, String format, WriteOptions options)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Formats.write(recording, out, Formats.byName(format), options);
    return out.toByteArray();
  }

  public static Reading reread(Recording recording, String format, WriteOptions options)
      throws IOException {
    return Formats.read(new ByteArrayInputStream(bytes(recording, format, options)));
  }
}
