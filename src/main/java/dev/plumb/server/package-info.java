/**
 * HTTP: the page, its JSON API ({@code server.api}), Pyroscope's API in both directions ({@code
 * server.pyroscope}), {@code /metrics}.
 *
 * <p>Each part is a Helidon service made of a {@link dev.plumb.store.History} or a {@link
 * dev.plumb.store.Sink}; what all of them need, such as who may ask and how much, stands before
 * them.
 */
package dev.plumb.server;
