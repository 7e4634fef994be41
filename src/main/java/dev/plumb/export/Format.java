package dev.plumb.export;

import dev.plumb.export.file.Reader;
import dev.plumb.export.file.Writer;
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
    Optional<Writer> writer,
    Optional<Reader> reader) {}
