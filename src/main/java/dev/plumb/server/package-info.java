/**
 * HTTP: the page, its JSON API ({@code server.api}), Pyroscope's API in both directions ({@code
 * server.pyroscope}), {@code /metrics}; and, by a socket, what other commands ask ({@code
 * server.local}).
 *
 * <p>{@link dev.plumb.server.PlumbServer} listens; {@code Gate} and {@code Access} decide who may
 * ask, {@link dev.plumb.server.Turns} and {@link dev.plumb.server.Room} how much at once, {@code
 * Connections} who keeps a place, {@link dev.plumb.server.Body} reads what clients send, {@link
 * dev.plumb.server.Refusal} is every error.
 *
 * <p>Each part is a Helidon service made of a {@link dev.plumb.store.History} or a {@link
 * dev.plumb.store.Sink}; what all of them need, such as who may ask and how much, stands before
 * them.
 */
package dev.plumb.server;
