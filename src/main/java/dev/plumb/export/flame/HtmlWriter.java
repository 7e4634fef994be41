package dev.plumb.export.flame;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** The flame graph and table of all modes in one page that needs no network. */
public final class HtmlWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    List<Profile> profiles =
        options.mode().isEmpty() && !recording.profiles().isEmpty()
            ? recording.profiles()
            : List.of(options.profile(recording));
    List<FlameDocument> documents = new ArrayList<>();
    for (Profile profile : profiles) {
      int type = profiles.size() == 1 ? options.type(profile) : profile.mainType();
      documents.add(FlameDocument.of(profile, type, FlameDocument.Detail.FILE));
    }
    HtmlPage.Head head =
        new HtmlPage.Head(
            FlameDocument.title(options, recording, profiles),
            recording.startNanos(),
            recording.durationNanos(),
            recording.facts(),
            options.view());
    new HtmlPage(head, documents).writeTo(out);
  }
}
