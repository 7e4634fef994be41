package dev.plumb.server.api;

import java.util.function.BooleanSupplier;

/**
 * What the page says of the server it comes from.
 *
 * @param live whether something is being recorded right now
 */
public record ServerInfo(String host, String version, BooleanSupplier live) {}
