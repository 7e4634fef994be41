/** OpenTelemetry's profiles. Start at {@link dev.plumb.export.otlp.OtlpRequest}. */
package dev.plumb.export.otlp;
