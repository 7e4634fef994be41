package dev.plumb.export.file;

import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.OutputStream;

/** Writes a recording in one format. Flushes the stream, but does not close it. */
@FunctionalInterface
public interface RecordingWriter {
  void write(Recording recording, OutputStream out, WriteOptions options) throws IOException;
}
