package dev.plumb.export;

import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.file.RecordingWriter;
import java.util.Optional;

/**
 * One format.
 *
 * @param name the value of {@code --format}
 * @param ending the file extension, with its dot
 * @param about a short description for people
 * @param allModes whether a file contains all modes of a recording; otherwise it contains one
 */
public record Format(
    String name,
    String ending,
    String about,
    boolean allModes,
    Optional<RecordingWriter> writer,
    Optional<RecordingReader> reader) {}
