package dev.plumb.cli;

import dev.plumb.collect.RecordOptions;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.server.DebugService;
import dev.plumb.server.MetricsService;
import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.StoreMetrics;
import dev.plumb.server.Traffic;
import dev.plumb.server.api.About;
import dev.plumb.server.api.Api;
import dev.plumb.server.api.PageService;
import dev.plumb.server.local.StoreSocket;
import dev.plumb.server.pyroscope.IngestLimits;
import dev.plumb.server.pyroscope.Pyroscope;
import dev.plumb.store.Store;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreInUseException;
import dev.plumb.store.StoreOptions;
import io.helidon.webserver.http.HttpService;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Watches the machine, keeps what it sees, and shows it on a page. */
@Command(
    name = "serve",
    description =
        "Watches all the time, keeps what it sees within a disk budget, and shows it on a page.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended as told",
      "1:failed",
      "2:wrong usage",
      "3:not permitted, or not possible on this kernel",
    },
    footer = {
      "",
      "The server also speaks Pyroscope's API: its clients push to it, and Grafana's Pyroscope data",
      "source reads from it.",
      "",
      "Examples:",
      "  plumb serve                               the whole machine, at http://localhost:4040",
      "  plumb serve cpu offcpu mem --disk 10GB    more modes, more history",
      "  plumb serve --listen 0.0.0.0:4040         for others too, with a token",
      "  plumb serve --no-watch                    only what others push",
    })
final class ServeCommand implements Callable<Integer> {
  @Mixin WatchOptions watchOptions = new WatchOptions();

  @Mixin ListenOptions listenOptions = new ListenOptions();

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "Where it is kept (/var/lib/plumb/store, or in the user's state folder).")
  String folder = "";

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      converter = ByteSizes.class,
      description = "What it may take on disk (2GB); the oldest goes first.")
  long diskBytes = StoreOptions.DEFAULT_DISK_BYTES;

  @Option(
      names = "--max-age",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "What is older goes, even if there is room, e.g. 168h.")
  long maxAgeNanos;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How often what was seen is stored (5s).")
  long intervalNanos = 5_000_000_000L;

  @Option(names = "--no-watch", description = "Watch nothing; show what others push.")
  boolean noWatch;

  @Mixin TalkOptions talk = new TalkOptions();

  /** Of a store that has no disk. */
  private static final long MEMORY_BYTES = 64L << 20;

  private final WatchMetrics metrics = new WatchMetrics(Map::of);
  private String place = "";
  private Optional<Path> kept = Optional.empty();
  private String lastTrouble = "";

  @Override
  public Integer call() throws Exception {
    RecordOptions options = watchOptions.options();
    Path state = StateFolder.ofThisUser();
    ServerOptions serverOptions = listenOptions.options(state);
    if (intervalNanos < 1_000_000_000L || intervalNanos > 10_000_000_000L) {
      throw new IllegalArgumentException("--interval: from 1s to 10s");
    }
    if (!noWatch) {
      Rights.require();
      Rights.shortages().forEach(Stderr::say);
    }
    StateFolder.keepPrivate();
    Interrupts interrupts = new Interrupts();
    Path storeFolder = folder.isEmpty() ? StateFolder.store() : Path.of(folder);
    place = "store " + storeFolder;
    kept = Optional.of(storeFolder);
    try (Store store = openStore(storeFolder)) {
      store.notices().forEach(notice -> Stderr.say(notice));
      Traffic traffic = new Traffic();
      try (PlumbServer server =
              PlumbServer.start(serverOptions, traffic, services(store, traffic));
          AutoCloseable socket = answerCommands(store)) {
        store.announce(server.address());
        talk.say("plumb: %s · %s · Ctrl-C ends it".formatted(server.address(), place));
        if (noWatch) {
          await(interrupts::seen);
        } else {
          watch(options, store, interrupts::seen);
        }
      }
    }
    return 0;
  }

  /** {@code plumb query} and others ask by a socket in the store's folder. */
  private AutoCloseable answerCommands(Store store) {
    if (kept.isPresent()) {
      try {
        return StoreSocket.open(kept.orElseThrow(), store);
      } catch (IOException | IllegalArgumentException e) {
        Stderr.say("query, export and sql cannot ask this store: " + e.getMessage());
      }
    }
    return () -> {};
  }

  private List<HttpService> services(Store store, Traffic traffic) {
    About about = new About(WatchOptions.host(), Plumb.VERSION, () -> !noWatch);
    List<HttpService> services = new ArrayList<>();
    services.add(new PageService());
    services.add(new Api(store, about));
    services.addAll(Pyroscope.queries(store, traffic));
    services.addAll(Pyroscope.ingest(store, IngestLimits.DEFAULT, traffic));
    services.add(new MetricsService(traffic, List.of(metrics, new StoreMetrics(store, kept))));
    services.add(new DebugService(store, traffic, Duration.ofNanos(intervalNanos).plusSeconds(1)));
    return services;
  }

  private void watch(RecordOptions options, Store store, BooleanSupplier done) {
    Labels labels = new Labels(watchOptions.allLabels());
    try (Watch watch =
        new Watch(
            options,
            intervalNanos,
            watchOptions::facts,
            recording -> keep(store, recording, labels))) {
      watch.refused().forEach((mode, why) -> Stderr.say(mode + ": " + why));
      watch.run(() -> {}, done);
    }
  }

  /** A disk that is full today may not be so tomorrow: watching goes on. */
  private void keep(Store store, Recording recording, Labels labels) {
    try {
      metrics.add(recording);
      store.add(recording, labels);
      trouble("");
    } catch (StoreException e) {
      trouble(e.getMessage());
    }
  }

  /** Says what goes wrong once, not every few seconds. */
  private void trouble(String now) {
    if (!now.equals(lastTrouble)) {
      Stderr.say(now.isEmpty() ? "what is seen is stored again" : "not stored: " + now);
      lastTrouble = now;
    }
  }

  private Store openStore(Path storeFolder) {
    StoreOptions options = StoreOptions.of(storeFolder).withDiskBytes(diskBytes);
    try {
      return Store.open(
          maxAgeNanos == 0 ? options : options.withMaxAge(Duration.ofNanos(maxAgeNanos)));
    } catch (StoreInUseException e) {
      throw e;
    } catch (StoreException e) {
      Stderr.say(e.getMessage());
      Stderr.say("until then what is seen is kept in memory, for as long as it fits");
      place = "nothing is kept on disk";
      kept = Optional.empty();
      return Store.inMemory(MEMORY_BYTES);
    }
  }

  private static void await(BooleanSupplier done) throws InterruptedException {
    while (!done.getAsBoolean()) {
      Thread.sleep(100);
    }
  }
}
