package dev.plumb.server.schedule;

import dev.plumb.server.http.ServerCounters;
import dev.plumb.store.Allowance;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** What all services of one server share: whose turn it is, with what memory, and counters. */
public final class QueryScheduler {
  private static final int WAITERS_OF_ONE = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** All commands of this machine that ask by the socket. */
  private static final String LOCAL = "local";

  /** Questions that put stacks together; the last parts of their paths. */
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
  private final FairScheduler turns;
  private final FairScheduler light;
  private final ServerCounters counters = new ServerCounters();
  private final DisconnectWatch clients = new DisconnectWatch();
  private final AtomicInteger heavyOnes = new AtomicInteger();
  private volatile long lastHeavyNanos = System.nanoTime();

  public QueryScheduler() {
    this(QueryMemory.ofMachine());
  }

  private QueryScheduler(QueryMemory memory) {
    this(
        memory,
        new FairScheduler(memory.heavyPlaces(), WAITERS_OF_ONE, PATIENCE),
        new FairScheduler(memory.lightPlaces(), WAITERS_OF_ONE, PATIENCE));
  }

  public QueryScheduler(QueryMemory memory, FairScheduler turns, FairScheduler light) {
    this.memory = memory;
    this.turns = turns;
    this.light = light;
  }

  /** Those of heavy questions. */
  public FairScheduler turns() {
    return turns;
  }

  public ServerCounters counters() {
    return counters;
  }

  /** How long ago the last heavy question was answered. */
  public Duration quiet() {
    return heavyOnes.get() > 0
        ? Duration.ZERO
        : Duration.ofNanos(System.nanoTime() - lastHeavyNanos);
  }

  /** Runs a question when it is this client's turn, as long as the client waits for it. */
  public <T> T turn(ServerRequest request, Callable<T> task) {
    boolean heavy = isHeavy(request);
    heavyOnes.addAndGet(heavy ? 1 : 0);
    try {
      return clients.whileThere(
          (InetSocketAddress) request.localPeer().address(),
          (InetSocketAddress) request.remotePeer().address(),
          () -> take(client(request), heavy, task));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      if (heavy) {
        lastHeavyNanos = System.nanoTime();
        heavyOnes.decrementAndGet();
      }
    }
  }

  /** The same for what a command of this machine asks. */
  public <T> T localTurn(boolean heavy, Callable<T> task) throws Exception {
    heavyOnes.addAndGet(heavy ? 1 : 0);
    try {
      return take(LOCAL, heavy, task);
    } finally {
      if (heavy) {
        lastHeavyNanos = System.nanoTime();
        heavyOnes.decrementAndGet();
      }
    }
  }

  private <T> T take(String client, boolean heavy, Callable<T> task) throws Exception {
    return heavy
        ? turns.take(client, () -> Allowance.with(memory.heavyBytes(), task))
        : light.take(client, () -> Allowance.with(memory.lightBytes(), task));
  }

  private static boolean isHeavy(ServerRequest request) {
    String path = request.path().path();
    return HEAVY.contains(path.substring(path.lastIndexOf('/') + 1))
        || request.query().contains("languages");
  }

  /** Those behind one address (a proxy, one machine) are told apart by what they are. */
  private static String client(ServerRequest request) {
    return request.remotePeer().host()
        + ' '
        + request.headers().first(HeaderNames.USER_AGENT).orElse("");
  }
}
