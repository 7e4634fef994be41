package dev.plumb.export.file;

import java.io.IOException;
import java.io.InputStream;

/** Reads one format. Any bytes yield a recording or a FormatException. */
@FunctionalInterface
public interface RecordingReader {
  Reading read(InputStream in) throws IOException;
}
