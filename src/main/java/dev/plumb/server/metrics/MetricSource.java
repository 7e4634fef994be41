package dev.plumb.server.metrics;

import java.util.List;

/** Adds metrics to {@code /metrics}; called for every scrape, so it should be fast. */
@FunctionalInterface
public interface MetricSource {
  List<Metric> metrics();
}
