package dev.plumb.export.file;

import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ValueType;
import java.time.ZoneId;
import java.util.stream.Collectors;

/**
 * Which part of a recording is written, and how.
 *
 * @param mode the profile to write; if empty, the first one, or all if the format allows that
 * @param value the name of the value to write; if empty, the format chooses
 * @param title the heading of pictures; if empty, it is made from the recording
 * @param view what a page shows first, as in its URL; may be empty
 * @param zone the time zone of times that are written for people
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

  /** The profile to write, in formats that contain one. */
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

  /** The value to write: the chosen one, otherwise the profile's main one. */
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
