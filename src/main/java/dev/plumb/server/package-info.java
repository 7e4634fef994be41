/**
 * HTTP: the page, its JSON API ({@code server.api}), Pyroscope's API in both directions ({@code
 * server.pyroscope}), {@code /metrics}; and, by a socket, what other commands ask ({@code
 * server.local}).
 *
 * <p>{@link dev.plumb.server.PlumbServer} listens; {@code RequestGate} and {@code TokenAccess} decide who may
 * ask, {@link dev.plumb.server.schedule.FairScheduler} and {@link dev.plumb.server.http.BodyMemoryBudget} how much at once, {@code
 * ConnectionTracker} who keeps a place, {@link dev.plumb.server.http.RequestBody} reads what clients send, {@link
 * dev.plumb.server.http.Refusal} is every error.
 *
 * <p>Each part is a Helidon service made of a {@link dev.plumb.store.History} or a {@link
 * dev.plumb.store.Sink}; what all of them need, such as who may ask and how much, stands before
 * them.
 */
package dev.plumb.server;
