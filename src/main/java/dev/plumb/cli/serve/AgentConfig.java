package dev.plumb.cli.serve;

import dev.plumb.cli.options.PushOptions;
import dev.plumb.cli.options.Secrets;
import dev.plumb.cli.options.TargetRule;
import dev.plumb.cli.options.WatchOptions;
import dev.plumb.cli.text.ByteSizes;
import dev.plumb.cli.text.Durations;
import dev.plumb.cli.text.Stderr;
import dev.plumb.cli.text.YamlMap;
import dev.plumb.push.PushTarget;
import dev.plumb.push.PushTarget.Protocol;
import dev.plumb.push.Pusher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The settings of the agent.
 *
 * @param memoryBytes the recording restarts when Plumb uses more; 0 for no limit
 * @param listen the address of {@code /metrics}; empty for none
 */
record AgentConfig(
    List<PushTarget> push,
    long intervalNanos,
    WatchOptions watch,
    List<TargetRule> rules,
    long memoryBytes,
    long spoolBytes,
    String listen) {
  static final long DEFAULT_INTERVAL = 15_000_000_000L;

  /** A user with a password, in a setting or in a URL. */
  private static final Pattern PASSWORD =
      Pattern.compile("^[\\s-]*user:|//[^/\\s]*:[^/\\s]*@", Pattern.MULTILINE);

  private static final long MIN_INTERVAL = 1_000_000_000L;
  private static final long MAX_INTERVAL = 300_000_000_000L;

  AgentConfig {
    push = List.copyOf(push);
    rules = List.copyOf(rules);
    if (push.isEmpty()) {
      throw new IllegalArgumentException(
          "no receiver; use --push URL, or in the file `push: [{url: http://host:4040}]`");
    }
    if (intervalNanos < MIN_INTERVAL || intervalNanos > MAX_INTERVAL) {
      throw new IllegalArgumentException("interval: must be from 1s to 5m");
    }
    watch.options(); // fails if they are invalid
  }

  static AgentConfig read(Path file) {
    try {
      String text = Files.readString(file);
      warnOfPasswords(file, text);
      return parse(text);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot read the configuration %s: %s".formatted(file, e.getMessage()), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static void warnOfPasswords(Path file, String text) throws IOException {
    if (PASSWORD.matcher(text).find() && Secrets.isOpenToOthers(file)) {
      Stderr.say(
          "%s contains a password, and others may read it; run chmod 600 %s, or use auth_file"
              .formatted(file, file));
    }
  }

  static AgentConfig parse(String text) {
    YamlMap yaml = YamlMap.parse(text);
    List<PushTarget> push = new ArrayList<>();
    for (YamlMap entry : yaml.maps("push")) {
      push.add(target(entry));
    }
    long interval = yaml.read("interval", DEFAULT_INTERVAL, new Durations()::convert);
    WatchOptions watch = watch(yaml);
    List<TargetRule> rules = new ArrayList<>();
    for (YamlMap entry : yaml.maps("targets")) {
      rules.add(rule(entry));
    }
    long memory = yaml.read("memory", 0L, new ByteSizes()::convert);
    long spool = yaml.read("spool", Pusher.DEFAULT_SPOOL_BYTES, new ByteSizes()::convert);
    String listen = yaml.text("listen", "");
    yaml.requireAllAsked();
    return new AgentConfig(push, interval, watch, rules, memory, spool, listen);
  }

  private static WatchOptions watch(YamlMap yaml) {
    WatchOptions watch = new WatchOptions();
    watch.modes = yaml.texts("modes");
    watch.frequency.hertz = yaml.number("hertz", watch.frequency.hertz);
    watch.labels = yaml.textMap("labels");
    YamlMap scope = yaml.map("scope");
    watch.targetOptions.cgroup = scope.text("cgroup", "");
    watch.targetOptions.comm = scope.text("comm", "");
    watch.targetOptions.pids = scope.texts("pids").stream().map(Integer::valueOf).toList();
    watch.targetOptions.pgid = scope.number("pgid", 0);
    watch.targetOptions.pidNamespaceOf = scope.number("pidns", 0);
    scope.requireAllAsked();
    return watch;
  }

  private static PushTarget target(YamlMap yaml) {
    Protocol protocol =
        yaml.read(
            "protocol",
            Protocol.PYROSCOPE,
            oneOf(Map.of("pyroscope", Protocol.PYROSCOPE, "otlp", Protocol.OTLP)));
    PushTarget target = PushTarget.of(protocol, yaml.text("url", ""));
    String user = yaml.text("user", "");
    target = user.isEmpty() ? target : target.withUser(user);
    String authFile = yaml.text("auth_file", "");
    target = authFile.isEmpty() ? target : target.withUser(PushOptions.user(authFile));
    String tokenFile = yaml.text("token_file", "");
    target = tokenFile.isEmpty() ? target : target.withToken(PushOptions.token(tokenFile));
    target = target.withTenant(yaml.text("tenant", ""));
    String ca = yaml.text("ca", "");
    yaml.requireAllAsked();
    return ca.isEmpty() ? target : target.withAuthorities(Path.of(ca));
  }

  private static <T> Function<String, T> oneOf(Map<String, T> choices) {
    return text -> {
      T chosen = choices.get(text.toLowerCase(Locale.ROOT));
      if (chosen == null) {
        throw new IllegalArgumentException("must be one of " + String.join(", ", choices.keySet()));
      }
      return chosen;
    };
  }

  private static TargetRule rule(YamlMap yaml) {
    YamlMap match = yaml.map("match");
    Map<String, Pattern> patterns = new HashMap<>();
    for (String name : TargetRule.NAMES) {
      Pattern pattern = match.read(name, null, Pattern::compile);
      if (pattern != null) {
        patterns.put(name, pattern);
      }
    }
    match.requireAllAsked();
    TargetRule rule = new TargetRule(patterns, yaml.textMap("labels"), yaml.flag("drop"));
    yaml.requireAllAsked();
    return rule;
  }
}
