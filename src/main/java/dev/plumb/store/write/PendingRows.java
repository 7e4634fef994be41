package dev.plumb.store.write;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the next transaction writes: rows, the quality of their recordings, and spool marks. */
final class PendingRows {
  /** The quality of one mode of a recording. */
  record QualityNote(long micros, String mode, Quality quality) {}

  /** The size at some moment. */
  record Size(int rows, int notes) {}

  private final SampleBuffer samples = new SampleBuffer();
  private final List<QualityNote> notes = new ArrayList<>();
  private final Map<String, Long> marks = new LinkedHashMap<>();

  SampleBuffer samples() {
    return samples;
  }

  List<QualityNote> notes() {
    return notes;
  }

  /** The latest number of each source. */
  Map<String, Long> marks() {
    return marks;
  }

  void note(Recording recording) {
    for (Profile profile : recording.profiles()) {
      if (!profile.quality().equals(Quality.UNKNOWN)) {
        notes.add(
            new QualityNote(
                Math.floorDiv(recording.startNanos(), 1000), profile.mode(), profile.quality()));
      }
    }
  }

  boolean isEmpty() {
    return samples.size() == 0 && notes.isEmpty() && marks.isEmpty();
  }

  Size size() {
    return new Size(samples.size(), notes.size());
  }

  /** Removes what was added later. */
  void cutTo(Size size) {
    samples.cutTo(size.rows());
    notes.subList(size.notes(), notes.size()).clear();
  }

  void clear() {
    samples.clear();
    notes.clear();
    marks.clear();
  }
}
