package dev.plumb.server.http;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the server did since it started, for {@code /metrics}. No label value comes from a client.
 */
public final class ServerCounters {
  private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> refusals = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> ingested = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> rejected = new ConcurrentHashMap<>();
  private final LongAdder ingestedBytes = new LongAdder();

  /** Counts a response. */
  public void request(int status) {
    add(requests, status / 100 + "xx");
  }

  public void refusal(ErrorCode code) {
    add(refusals, code.name().toLowerCase(java.util.Locale.ROOT));
  }

  /** Counts a profile that was stored. */
  public void ingested(String format, long bytes) {
    add(ingested, format);
    ingestedBytes.add(bytes);
  }

  public void rejected(String reason) {
    add(rejected, reason);
  }

  private static void add(Map<String, LongAdder> map, String name) {
    map.computeIfAbsent(name, _ -> new LongAdder()).increment();
  }

  public Map<String, Long> requests() {
    return sums(requests);
  }

  public Map<String, Long> refusals() {
    return sums(refusals);
  }

  public Map<String, Long> ingested() {
    return sums(ingested);
  }

  public Map<String, Long> rejected() {
    return sums(rejected);
  }

  public long ingestedBytes() {
    return ingestedBytes.sum();
  }

  private static Map<String, Long> sums(Map<String, LongAdder> map) {
    Map<String, Long> sums = new TreeMap<>();
    map.forEach((name, adder) -> sums.put(name, adder.sum()));
    return sums;
  }
}
