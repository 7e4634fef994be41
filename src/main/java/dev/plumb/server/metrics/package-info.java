/**
 * What other programs fetch from time to time: {@code /metrics} for Prometheus, {@code
 * /debug/pprof} for {@code go tool pprof}.
 *
 * <p>Start at {@link dev.plumb.server.metrics.MetricsService}. Whatever has figures of its own is a
 * {@link dev.plumb.server.metrics.MetricSource}; {@link dev.plumb.server.metrics.StoreMetrics} is
 * the store's.
 */
package dev.plumb.server.metrics;
