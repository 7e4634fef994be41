package dev.plumb.export.file;

import dev.plumb.profile.Recording;
import java.util.List;

/**
 * What a file held.
 *
 * @param warnings a line each for what is missing of it
 */
public record Reading(Recording recording, List<String> warnings) {
  public Reading {
    warnings = List.copyOf(warnings);
  }

  public static Reading of(Recording recording) {
    return new Reading(recording, List.of());
  }
}
