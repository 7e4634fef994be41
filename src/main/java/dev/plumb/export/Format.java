package dev.plumb.export;

import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.file.RecordingWriter;
import java.util.Optional;

/**
 * One format.
 *
 * @param name for {@code --format}
 * @param ending of file names, with its dot
 * @param about for people, a few words
 * @param allModes whether a file holds all modes of a recording; else it holds one
 */
public record Format(
    String name,
    String ending,
    String about,
    boolean allModes,
    Optional<RecordingWriter> writer,
    Optional<RecordingReader> reader) {}
