package dev.plumb.server.api;

import java.util.function.BooleanSupplier;

/**
 * What the page says about its server.
 *
 * @param live whether a recording is running
 */
public record ServerInfo(String host, String version, BooleanSupplier live) {}
