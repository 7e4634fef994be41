package dev.plumb.cli.serve;

import dev.plumb.cli.options.MachineFacts;
import dev.plumb.cli.options.PushOptions;
import dev.plumb.cli.options.Rights;
import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.options.TalkOptions;
import dev.plumb.cli.options.TargetRule;
import dev.plumb.cli.options.WatchOptions;
import dev.plumb.cli.run.Interrupts;
import dev.plumb.cli.run.Pushing;
import dev.plumb.cli.run.ResidentMemory;
import dev.plumb.cli.text.ByteSizes;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.Stderr;
import dev.plumb.profile.Labels;
import dev.plumb.push.Pusher;
import dev.plumb.server.PlumbServer;
import dev.plumb.server.ServerOptions;
import dev.plumb.server.metrics.MetricsService;
import dev.plumb.server.schedule.QueryScheduler;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Records continuously and pushes the profiles; has no store and no page. */
@Command(
    name = "agent",
    description = "Records continuously and pushes the profiles; has no store and no page.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:ended by a signal",
      "1:failure",
      "2:wrong usage, or an invalid configuration",
      "3:not permitted, or not possible on this kernel",
    },
    footer = {
      "",
      "SIGHUP reloads the configuration. docs/agent.md lists all settings.",
      "",
      "Examples:",
      "  plumb agent --push http://pyroscope:4040",
      "  plumb agent --config /etc/plumb/agent.yaml",
    })
public final class AgentCommand implements Callable<Integer> {
  @Mixin WatchOptions watchOptions = new WatchOptions();

  @Mixin PushOptions pushOptions = new PushOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "Read all settings from this YAML file; --push is refused, other settings are ignored.")
  String configFile = "";

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How often profiles are pushed (default 15s).")
  long intervalNanos = AgentConfig.DEFAULT_INTERVAL;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Address for /metrics and /ready; none by default.")
  String listen = "";

  @Mixin TalkOptions talk = new TalkOptions();

  private final WatchMetrics metrics = new WatchMetrics(Map::of);
  private final AtomicBoolean reload = new AtomicBoolean();
  private Optional<AgentConfig> next = Optional.empty();
  private final Map<String, String> lastTrouble = new HashMap<>();

  @Override
  public Integer call() throws Exception {
    AgentConfig config = config();
    Rights.require();
    Rights.shortages().forEach(Stderr::say);
    StateFolder.keepPrivate();
    Interrupts interrupts = new Interrupts();
    interrupts.onHangup(() -> reload.set(true));
    while (!interrupts.seen()) {
      run(config, interrupts::seen);
      config = next.orElse(config);
      next = Optional.empty();
    }
    return 0;
  }

  private AgentConfig config() {
    if (!configFile.isEmpty()) {
      if (pushOptions.given()) {
        throw new IllegalArgumentException("--config contains all settings; leave out --push");
      }
      return AgentConfig.read(Path.of(configFile));
    }
    return new AgentConfig(
        pushOptions.targets(),
        intervalNanos,
        watchOptions,
        List.of(),
        0,
        Pusher.DEFAULT_SPOOL_BYTES,
        listen);
  }

  /** Whether there is a new configuration; an invalid one is reported and changes nothing. */
  private boolean isChanged() {
    if (reload.getAndSet(false)) {
      try {
        next = Optional.of(config());
        talk.say("plumb: reloaded the configuration");
      } catch (IllegalArgumentException e) {
        Stderr.say("continuing with the old settings: " + e.getMessage());
      }
    }
    return next.isPresent();
  }

  /** Runs until it is told to end, its configuration has changed, or it uses too much memory. */
  private void run(AgentConfig config, BooleanSupplier end) throws Exception {
    Labels labels = new Labels(config.watch().allLabels());
    try (Pushing pushing =
            new Pushing(
                config.push(), TargetRule.labelling(config.rules(), labels), config.spoolBytes());
        AutoCloseable server = listen(config, pushing);
        ContinuousRecording watch =
            new ContinuousRecording(
                config.watch().options(),
                config.intervalNanos(),
                MachineFacts::all,
                recording -> {
                  metrics.add(recording);
                  pushing.push(recording);
                  report(pushing);
                })) {
      talk.say("plumb: pushing to " + String.join(", ", pushing.states().keySet()));
      watch.run(
          () -> {}, () -> end.getAsBoolean() || isChanged() || isTooLarge(config.memoryBytes()));
      pushing.flushBriefly();
    }
  }

  /** Serves /metrics and /ready if there is an address for them. */
  private AutoCloseable listen(AgentConfig config, Pushing pushing) {
    if (config.listen().isEmpty()) {
      return () -> {};
    }
    QueryScheduler traffic = new QueryScheduler();
    metrics.pushed(pushing::states);
    return PlumbServer.start(
        ServerOptions.LOCAL.listen(config.listen()),
        traffic,
        List.of(new MetricsService(traffic, List.of(metrics))));
  }

  private boolean isTooLarge(long limit) {
    if (limit == 0 || ResidentMemory.ofThis() <= limit) {
      return false;
    }
    Stderr.say(
        "using more than %s of memory: restarting the recording".formatted(ByteSizes.text(limit)));
    return true;
  }

  /** Reports the trouble of a receiver when it begins and when it is over. */
  private void report(Pushing pushing) {
    pushing
        .states()
        .forEach(
            (url, state) -> {
              String before = lastTrouble.getOrDefault(url, "");
              if (!state.trouble().equals(before)) {
                Stderr.say(
                    state.trouble().isEmpty()
                        ? "%s accepts profiles again".formatted(url)
                        : "%s: %s; %d requests waiting"
                            .formatted(url, SafeText.line(state.shown()), state.waiting()));
                lastTrouble.put(url, state.trouble());
              }
            });
  }
}
