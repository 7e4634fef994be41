package dev.plumb.scenario;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.nio.file.Path;

/** All that a recording counts, not only its main value. */
public final class ProfileSums {
  private ProfileSums() {}

  /** Of stacks with a function, or of all for none: the sum of each column. */
  public static long[] sums(Path file, String function) throws IOException {
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      long[] sums = new long[profile.types().size()];
      for (int row = 0; row < profile.rows(); row++) {
        if (function.isEmpty() || has(profile, row, function)) {
          for (int type = 0; type < sums.length; type++) {
            sums[type] += profile.value(row, type);
          }
        }
      }
      return sums;
    }
  }

  /** Whether a row's stack has a function. */
  public static boolean has(Profile profile, int row, String function) {
    for (int frame : profile.stacks().frameIds(profile.stack(row))) {
      if (profile.stacks().frames().get(frame).name().equals(function)) {
        return true;
      }
    }
    return false;
  }
}
