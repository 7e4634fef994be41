/**
 * The web server: listens, checks who may send requests, and hands them to its services.
 *
 * <p>Start at {@link dev.plumb.server.PlumbServer}. {@code RequestGate} is the filter before every
 * service: {@code ServerNames} and {@code TokenAccess} decide which requests it lets through.
 * {@code ConnectionTracker} closes connections that only take up a place; {@code ErrorResponses}
 * makes every error response.
 *
 * <p>The rooms: {@code .http} (request bodies, errors, JSON), {@code .schedule} (which query runs
 * when, and with how much memory), {@code .metrics}, and the services: {@code .api} (the page and
 * its JSON API), {@code .pyroscope} (Pyroscope's and OpenTelemetry's APIs) and {@code .local}
 * (queries of other Plumb commands). A service is made of a {@link dev.plumb.store.History} or a
 * {@link dev.plumb.store.Sink}. This package uses {@code .http} and {@code .schedule} only; {@code
 * cli} puts the services together.
 */
package dev.plumb.server;
