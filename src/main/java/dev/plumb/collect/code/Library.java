package dev.plumb.collect.code;

import java.nio.file.Path;

/**
 * A program or library that probes go into.
 *
 * @param path the path by which it is opened; may lead through {@code /proc/PID/root}
 * @param name its name in messages
 */
public record Library(Path path, String name) {}
