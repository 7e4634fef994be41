/**
 * Pyroscope's API in both directions, so that its clients and Grafana's data source work with
 * Plumb, and OpenTelemetry's API for pushing profiles.
 *
 * <p>{@link dev.plumb.server.pyroscope.PyroscopeServices} makes the services. The rooms: {@code
 * .wire} (messages in protobuf and JSON, Connect and gRPC), {@code .query} (what Grafana asks),
 * {@code .ingest} (what clients push) and {@code .otlp} (what OpenTelemetry's exporters push).
 */
package dev.plumb.server.pyroscope;
