package dev.plumb.collect.code;

import java.nio.file.Path;

/**
 * A program or library that probes go into.
 *
 * @param path by which it is opened, which may lead through {@code /proc/PID/root}
 * @param name for people
 */
public record Library(Path path, String name) {}
