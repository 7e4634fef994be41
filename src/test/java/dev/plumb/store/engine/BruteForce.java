package dev.plumb.store.engine;

import dev.plumb.profile.Frame;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.dictionary.StoredFrames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Answers queries by walking all samples of all recordings: the reference for the store. */
final class BruteForce {
  /** A sample with all that is known about it. */
  record Sample(
      ProfileType type,
      long nanos,
      Map<String, String> labels,
      ThreadInfo thread,
      String stack,
      int cpu,
      long value) {}

  private final List<Sample> samples = new ArrayList<>();

  List<Sample> samples() {
    return samples;
  }

  void add(Recording recording, Labels given) {
    for (Profile profile : recording.profiles()) {
      int count = profile.countType().orElse(-1);
      for (int type = 0; type < profile.types().size(); type++) {
        ProfileType of = ProfileType.of(profile, type);
        int column = type;
        if (profile.timeline().size() == 0) {
          for (int row = 0; row < profile.rows(); row++) {
            long value = profile.value(row, column);
            add(recording, given, profile, of, recording.startNanos(), row, -1, value);
          }
        } else {
          profile
              .timeline()
              .forEach(
                  (time, row, cpu, value) ->
                      add(
                          recording,
                          given,
                          profile,
                          of,
                          time,
                          row,
                          cpu,
                          column == count ? 1 : value));
        }
      }
    }
  }

  private void add(
      Recording recording,
      Labels given,
      Profile profile,
      ProfileType type,
      long nanos,
      int row,
      int cpu,
      long value) {
    ThreadInfo thread = profile.thread(row);
    Map<String, String> labels = new TreeMap<>(given.values());
    labels.putAll(profile.labels(row).values());
    recording.facts().forEach((fact, text) -> labels.putIfAbsent(fact, text));
    if (thread.pid() != 0) {
      labels.put("pid", Integer.toString(thread.pid()));
      labels.put("thread", thread.comm());
      labels.put("comm", thread.processComm());
    }
    if (!thread.cgroup().isEmpty()) {
      labels.put("cgroup", thread.cgroup());
    }
    boolean docker = thread.cgroup().contains("docker-");
    if (docker) {
      labels.put("container", "0123456789ab");
    }
    String service =
        docker
            ? "0123456789ab"
            : thread.cgroup().contains("nginx.service") ? "nginx" : thread.processComm();
    labels.putIfAbsent("service_name", service);
    samples.add(
        new Sample(
            type,
            nanos,
            labels,
            thread,
            stackText(profile.stacks(), profile.stack(row)),
            cpu,
            value));
  }

  static String stackText(StackTable stacks, int stack) {
    StringBuilder text = new StringBuilder(stacks.end(stack).toString());
    List<Integer> ids = new ArrayList<>();
    int interrupted = StoredFrames.interrupted(stacks, stack);
    if (interrupted != stack) {
      ids.add(stacks.leaf(stack));
    }
    Arrays.stream(stacks.frameIds(interrupted)).forEach(ids::add);
    for (int id : ids) {
      Frame frame = StoredFrames.frame(stacks.frames().get(id));
      text.append(';').append(frame.name()).append('/').append(frame.kind()).append(frame.line());
    }
    return text.toString();
  }

  /** The samples of a selection. */
  void each(Selection selection, Consumer<Sample> taker) {
    for (Sample sample : samples) {
      long part = sample.nanos() % 1_000_000_000;
      if (sample.type().equals(selection.type())
          && selection.range().contains(sample.nanos())
          && part >= selection.slice().fromNanos()
          && part < selection.slice().toNanos()
          && matches(selection.selector(), sample.labels())) {
        taker.accept(sample);
      }
    }
  }

  static boolean matches(Selector selector, Map<String, String> labels) {
    for (Matcher matcher : selector.matchers()) {
      String value = labels.getOrDefault(matcher.name(), "");
      boolean matches =
          switch (matcher.operator()) {
            case EQUAL -> value.equals(matcher.value());
            case NOT_EQUAL -> !value.equals(matcher.value());
            case MATCHES -> Pattern.matches(matcher.value(), value);
            case NOT_MATCHES -> !Pattern.matches(matcher.value(), value);
          };
      if (!matches) {
        return false;
      }
    }
    return true;
  }

  /** Sums per process name and stack. */
  Map<String, Long> merged(Selection selection) {
    Map<String, Long> sums = new HashMap<>();
    each(
        selection,
        sample ->
            sums.merge(sample.thread().processComm() + sample.stack(), sample.value(), Long::sum));
    sums.values().removeIf(sum -> sum == 0);
    return sums;
  }

  /** The same for a profile. */
  static Map<String, Long> merged(Profile profile, int type) {
    Map<String, Long> sums = new HashMap<>();
    for (int row = 0; row < profile.rows(); row++) {
      sums.merge(
          profile.thread(row).processComm() + stackText(profile.stacks(), profile.stack(row)),
          profile.value(row, type),
          Long::sum);
    }
    sums.values().removeIf(sum -> sum == 0);
    return sums;
  }
}
