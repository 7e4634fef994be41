package dev.plumb.server.metrics;

import java.util.List;

/** Adds figures to {@code /metrics}; asked at every scrape, so it should know them already. */
@FunctionalInterface
public interface MetricSource {
  List<Metric> metrics();
}
