package dev.plumb.server.schedule;

import dev.plumb.server.http.ServerCounters;
import dev.plumb.store.HeapAllowance;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** Decides when each query runs and how much memory it may take; all services share one. */
public final class QueryScheduler {
  private static final int WAITERS_PER_CLIENT = 500;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  /** All commands of this machine that query through the socket count as one client. */
  private static final String LOCAL = "local";

  /** The last path segments of queries that merge stacks. */
  private static final Set<String> HEAVY =
      Set.of(
          "tree",
          "table",
          "sandwich",
          "diff",
          "threads",
          "cpus",
          "source",
          "export",
          "render",
          "render-diff",
          "Diff",
          "SelectMergeStacktraces",
          "SelectMergeProfile",
          "SelectMergeSpanProfile",
          "SelectHeatmap",
          "SelectSeries",
          "Series");

  private final QueryMemory memory;
  private final FairScheduler heavy;
  private final FairScheduler light;
  private final ServerCounters counters = new ServerCounters();
  private final DisconnectWatch clients = new DisconnectWatch();
  private final AtomicInteger heavyQueries = new AtomicInteger();
  private volatile long lastHeavyNanos = System.nanoTime();

  public QueryScheduler() {
    this(QueryMemory.ofMachine());
  }

  private QueryScheduler(QueryMemory memory) {
    this(
        memory,
        new FairScheduler(memory.heavyPlaces(), WAITERS_PER_CLIENT, LONGEST_WAIT),
        new FairScheduler(memory.lightPlaces(), WAITERS_PER_CLIENT, LONGEST_WAIT));
  }

  public QueryScheduler(QueryMemory memory, FairScheduler heavy, FairScheduler light) {
    this.memory = memory;
    this.heavy = heavy;
    this.light = light;
  }

  /** How many heavy queries are waiting. */
  public int waiting() {
    return heavy.waiting();
  }

  /** How long a refused client should wait before it tries again. */
  public long retryAfterSeconds() {
    return heavy.retryAfterSeconds();
  }

  public ServerCounters counters() {
    return counters;
  }

  /** How long ago the last heavy query was answered; zero while one runs. */
  public Duration quiet() {
    return heavyQueries.get() > 0
        ? Duration.ZERO
        : Duration.ofNanos(System.nanoTime() - lastHeavyNanos);
  }

  /** Runs a query when it is this client's turn, as long as the client stays connected. */
  public <T> T run(ServerRequest request, Callable<T> task) {
    try {
      return clients.whileConnected(
          (InetSocketAddress) request.localPeer().address(),
          (InetSocketAddress) request.remotePeer().address(),
          () -> run(client(request), isHeavy(request), task));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs a query of another command on this machine. */
  public <T> T runLocal(boolean isHeavy, Callable<T> task) throws Exception {
    return run(LOCAL, isHeavy, task);
  }

  private <T> T run(String client, boolean isHeavy, Callable<T> task) throws Exception {
    if (!isHeavy) {
      return light.run(client, () -> HeapAllowance.with(memory.lightBytes(), task));
    }
    heavyQueries.incrementAndGet();
    try {
      return heavy.run(client, () -> HeapAllowance.with(memory.heavyBytes(), task));
    } finally {
      lastHeavyNanos = System.nanoTime();
      heavyQueries.decrementAndGet();
    }
  }

  private static boolean isHeavy(ServerRequest request) {
    String path = request.path().path();
    return HEAVY.contains(path.substring(path.lastIndexOf('/') + 1))
        || request.query().contains("languages");
  }

  /** The user agent tells apart clients behind one address (a proxy, one machine). */
  private static String client(ServerRequest request) {
    return request.remotePeer().host()
        + ' '
        + request.headers().first(HeaderNames.USER_AGENT).orElse("");
  }
}
