package dev.plumb.export.file;

import dev.plumb.profile.Recording;
import java.util.List;

/**
 * The content of a file.
 *
 * @param warnings what could not be read, a line each
 */
public record Reading(Recording recording, List<String> warnings) {
  public Reading {
    warnings = List.copyOf(warnings);
  }

  public static Reading of(Recording recording) {
    return new Reading(recording, List.of());
  }
}
