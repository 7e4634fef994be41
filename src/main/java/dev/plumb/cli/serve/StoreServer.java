package dev.plumb.cli.serve;

import dev.plumb.cli.options.MachineFacts;
import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.options.TalkOptions;
import dev.plumb.cli.options.WatchOptions;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.Version;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerException;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.api.ApiService;
import dev.plumb.server.api.PageService;
import dev.plumb.server.api.ServerInfo;
import dev.plumb.server.local.StoreSocketServer;
import dev.plumb.server.metrics.DebugPprofService;
import dev.plumb.server.metrics.MetricsService;
import dev.plumb.server.metrics.StoreMetrics;
import dev.plumb.server.pyroscope.PyroscopeServices;
import dev.plumb.server.pyroscope.ingest.IngestLimits;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.spool.SpoolReader;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreInUseException;
import dev.plumb.store.engine.Store;
import io.helidon.webserver.http.HttpService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The server process of {@code plumb serve}: takes recordings from the spool, holds the store,
 * answers queries. {@link ServerProcess} tells it through its standard input when to exit.
 */
final class StoreServer {
  /** The size of a store in memory. */
  private static final long MEMORY_BYTES = 64L << 20;

  /** A server that was killed a moment ago may still hold the store and the port. */
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final long RETRY_MILLIS = 200;
  private static final int LOOK_SECONDS = 1;

  /** Three times the CPU share of a session with the default nice value. */
  private static final String SESSION_NICE = "-5";

  /** One recording may take this part of the heap: 1/n. */
  private static final int RECORDING_SHARE = 8;

  private final StoreServerOptions options;
  private final TalkOptions talk;
  private final Path spool;
  private final boolean noWatch;
  private final Labels labels;
  private final WatchMetrics metrics = new WatchMetrics(Map::of);
  private final Semaphore files = new Semaphore(0);
  private String place = "";
  private Optional<Path> kept = Optional.empty();
  private String lastTrouble = "";
  private volatile boolean begun;
  private volatile boolean ended;

  StoreServer(
      StoreServerOptions options,
      WatchOptions watchOptions,
      TalkOptions talk,
      Path spool,
      boolean noWatch) {
    this.options = options;
    this.talk = talk;
    this.spool = spool;
    this.noWatch = noWatch;
    this.labels = new Labels(watchOptions.allLabels());
  }

  /** Runs until it is told to end; returns the exit code. */
  int run() throws Exception {
    // Both processes receive Ctrl-C; the recording process tells this one when to exit.
    Interrupts.ignore();
    leaveSession();
    StateFolder.keepPrivate();
    ServerOptions serverOptions = options.listenOptions.options(StateFolder.ofThisUser());
    place = "store " + options.folder();
    kept = Optional.of(options.folder());
    try (Store store = openStore()) {
      store.notices().forEach(Stderr::say);
      QueryScheduler traffic = new QueryScheduler();
      Thread taking;
      try (PlumbServer server = listen(serverOptions, traffic, store);
          AutoCloseable socket = answerCommands(store, traffic);
          ServerMemory memory = ServerMemory.watch(traffic, store)) {
        store.announce(server.address());
        ServerProcess.announce(spool, server.address().toString());
        taking = Thread.ofPlatform().name("spool").start(() -> takeAll(store, memory));
        if (!obey(server)) {
          endAtOnce();
        }
      }
      // Requests are not answered any more: queries and pushes could delay this for minutes.
      ended = true;
      files.release();
      taking.join();
    }
    ServerProcess.withdraw(spool);
    return 0;
  }

  /**
   * Where the kernel divides the CPUs among sessions, this process then takes nothing from the
   * recording process, and gets more than a busy program: recordings have to be stored, and people
   * ask when the machine is busy.
   */
  private static void leaveSession() {
    if (ProcessCalls.trySetsid() > 0) {
      try {
        Files.writeString(Path.of("/proc/self/autogroup"), SESSION_NICE);
      } catch (IOException e) {
        // This kernel does not divide CPUs among sessions.
      }
    }
  }

  /**
   * The recording process was killed. The next one may have started already, and its server waits
   * for the store and the port. What was acknowledged is committed; the spool is left to the next
   * server.
   */
  private static void endAtOnce() {
    Stderr.say("the recording process was killed; the server exits, too");
    Runtime.getRuntime().halt(1);
  }

  /** Obeys messages until {@link ServerProcess#END}; false if they stop without it. */
  private boolean obey(PlumbServer server) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals(ServerProcess.END)) {
        return true;
      }
      if (line.equals(ServerProcess.FILE)) {
        files.release();
      }
      if (line.equals(ServerProcess.BEGUN)) {
        begun = true;
        talk.say("plumb: %s · %s · Ctrl-C to quit".formatted(server.address(), place));
      }
    }
    return false;
  }

  private PlumbServer listen(ServerOptions serverOptions, QueryScheduler traffic, Store store)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        return PlumbServer.start(serverOptions, traffic, services(store, traffic), () -> begun);
      } catch (ServerException e) {
        if (!isAgain() || System.nanoTime() > end) {
          throw e;
        }
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  /** Whether another server has answered before this one: it may still hold the port. */
  private boolean isAgain() {
    return ServerProcess.address(spool).isPresent();
  }

  private Store openStore() throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        return Store.open(options.storeOptions());
      } catch (StoreInUseException e) {
        if (!isAgain() || System.nanoTime() > end) {
          throw e;
        }
        Thread.sleep(RETRY_MILLIS);
      } catch (StoreException e) {
        Stderr.say(e.getMessage());
        Stderr.say("until then, recordings are kept in memory, as long as they fit");
        place = "nothing is kept on disk";
        kept = Optional.empty();
        return Store.inMemory(MEMORY_BYTES);
      }
    }
  }

  /** Answers {@code plumb query} and the like on a socket in the store's folder. */
  private AutoCloseable answerCommands(Store store, QueryScheduler traffic) {
    if (kept.isPresent()) {
      try {
        return StoreSocketServer.open(kept.orElseThrow(), store, traffic);
      } catch (IOException | IllegalArgumentException e) {
        Stderr.say("query, export and sql cannot reach this store: " + e.getMessage());
      }
    }
    return () -> {};
  }

  private List<HttpService> services(Store store, QueryScheduler traffic) {
    ServerInfo about = new ServerInfo(MachineFacts.host(), Version.TEXT, () -> !noWatch && begun);
    List<HttpService> services = new ArrayList<>();
    services.add(new PageService());
    services.add(new ApiService(store, about));
    services.addAll(PyroscopeServices.queries(store, traffic));
    services.addAll(PyroscopeServices.ingest(store, IngestLimits.DEFAULT, traffic));
    services.add(
        new MetricsService(
            traffic, List.of(metrics, new StoreMetrics(store, kept), new CollectorCost())));
    services.add(
        new DebugPprofService(
            store, traffic, Duration.ofNanos(options.intervalNanos).plusSeconds(1)));
    return services;
  }

  /** Takes recordings from the spool as they come, and in the end what is left. */
  private void takeAll(Store store, ServerMemory memory) {
    SpoolReader reader =
        new SpoolReader(spool, Runtime.getRuntime().maxMemory() / RECORDING_SHARE, Stderr::say);
    boolean last;
    do {
      last = ended;
      try {
        if (reader.take((recording, mark) -> keep(store, recording, mark)) > 0) {
          memory.look();
        }
        trouble("");
        if (!last) {
          files.tryAcquire(LOOK_SECONDS, TimeUnit.SECONDS);
          files.drainPermits();
        }
      } catch (IOException | StoreException e) {
        trouble(e.getMessage());
        pause();
      } catch (InterruptedException e) {
        return; // nobody does that
      }
    } while (!last);
  }

  private void keep(Store store, Recording recording, SpoolMark mark) {
    if (store.addCommitted(recording, labels, mark)) {
      metrics.add(recording);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reports trouble once, not every few seconds. */
  private void trouble(String now) {
    if (!now.equals(lastTrouble)) {
      Stderr.say(
          now.isEmpty() ? "recordings are stored again" : "recordings are not stored: " + now);
      lastTrouble = now;
    }
  }
}
