package dev.plumb.export.otlp;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes OpenTelemetry's profiles, all modes in one message. */
public final class OtlpWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    String host = recording.facts().getOrDefault("host", "");
    Labels resource = host.isEmpty() ? Labels.NONE : Labels.of("host", host);
    List<Profile> profiles =
        options.mode().isEmpty() ? recording.profiles() : List.of(options.profile(recording));
    OtlpRequest request = new OtlpRequest();
    for (Profile profile : profiles) {
      request.add(resource, profile, recording.startNanos(), recording.durationNanos());
    }
    out.write(request.toBytes());
  }
}
