/**
 * Profiles that OpenTelemetry's exporters push: {@code ProfilesService/Export} over gRPC and HTTP.
 *
 * <p>Start at {@link dev.plumb.server.pyroscope.otlp.OtlpIntake}. {@code OtlpDictionary} reads a
 * request's tables, {@code OtlpProfileReader} one profile; {@code .ingest} checks and stores it.
 */
package dev.plumb.server.pyroscope.otlp;
