package dev.plumb.export.file;

import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.time.ZoneId;
import java.util.stream.Collectors;

/**
 * What of a recording is written, and how.
 *
 * @param mode the profile to write, or empty: the first, or all where the format holds all
 * @param value the column to write by its name, or empty: the format's own choice
 * @param title the heading of pictures, or empty: made from the recording
 * @param view what a page shows first, as its address spells it, or empty
 * @param zone whose clock times are written in, where a format writes them for people
 */
public record WriteOptions(String mode, String value, String title, String view, ZoneId zone) {
  public static final WriteOptions DEFAULT =
      new WriteOptions("", "", "", "", ZoneId.systemDefault());

  public WriteOptions withMode(String mode) {
    return new WriteOptions(mode, value, title, view, zone);
  }

  public WriteOptions withValue(String value) {
    return new WriteOptions(mode, value, title, view, zone);
  }

  public WriteOptions withTitle(String title) {
    return new WriteOptions(mode, value, title, view, zone);
  }

  public WriteOptions withView(String view) {
    return new WriteOptions(mode, value, title, view, zone);
  }

  public WriteOptions withZone(ZoneId zone) {
    return new WriteOptions(mode, value, title, view, zone);
  }

  /** The profile to write, where one is. */
  public Profile profile(Recording recording) {
    if (recording.profiles().isEmpty()) {
      throw new FormatException("the recording holds no profile: nothing was measured");
    }
    if (mode.isEmpty()) {
      return recording.main();
    }
    return recording.profiles().stream()
        .filter(profile -> profile.mode().equals(mode))
        .findFirst()
        .orElseThrow(
            () ->
                new FormatException(
                    "no mode '%s' in this recording; it holds: %s"
                        .formatted(mode, modes(recording))));
  }

  /** The column to write: the one that was asked for, else the profile's main one. */
  public int type(Profile profile) {
    if (value.isEmpty()) {
      return profile.mainType();
    }
    return profile
        .type(value)
        .orElseThrow(
            () ->
                new FormatException(
                    "no value '%s' in mode %s; it has: %s"
                        .formatted(
                            value,
                            profile.mode(),
                            profile.types().stream()
                                .map(ValueType::name)
                                .collect(Collectors.joining(", ")))));
  }

  private static String modes(Recording recording) {
    return recording.profiles().stream().map(Profile::mode).collect(Collectors.joining(", "));
  }
}
