package dev.plumb.store.write;

import dev.plumb.profile.Cgroups;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionary;
import dev.plumb.store.dictionary.StoredFrames;
import dev.plumb.store.write.SampleBuffer.Who;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Makes rows of samples from recordings. */
public final class RowMaker {
  /** Beyond that, names are random: those of programs, or in what a client sends. */
  public static final int MAX_SERIES = 20_000;

  private static final Labels OTHERS = Labels.of("service_name", "(others)");

  private final SeriesTable series;
  private final DetailTable details;

  RowMaker(SeriesTable series, DetailTable details) {
    this.series = series;
    this.details = details;
  }

  /** Puts the rows of all profiles and types into the buffer. */
  void take(Recording recording, Labels given, StackDictionary stacks, SampleBuffer buffer) {
    String host = recording.facts().getOrDefault("host", "");
    Labels all =
        host.isEmpty() || given.values().containsKey("host") ? given : given.with("host", host);
    for (Profile profile : recording.profiles()) {
      int main = profile.mainType();
      OptionalInt count = profile.countType();
      RowPlaces places = new RowPlaces(profile, all, stacks, buffer, Measure.ofMain(profile));
      TimeApportioner apportioner = TimeApportioner.of(recording, profile);
      apportioner.each(
          profile,
          main,
          count,
          (micros, row, cpu, value, times) ->
              buffer.add(micros, places.who(row), places.stack(row), cpu, value, times));
      for (int type = 0; type < profile.types().size(); type++) {
        if (type != main && (count.isEmpty() || type != count.getAsInt())) {
          takeOther(profile, type, all, stacks, buffer, apportioner);
        }
      }
    }
    stacks.forgetTable();
  }

  private void takeOther(
      Profile profile,
      int type,
      Labels given,
      StackDictionary stacks,
      SampleBuffer buffer,
      TimeApportioner apportioner) {
    RowPlaces places =
        new RowPlaces(profile, given, stacks, buffer, Measure.ofOther(profile, type));
    apportioner.each(
        profile,
        type,
        profile.countType(),
        (micros, row, cpu, value, times) -> {
          if (value != 0) {
            buffer.add(micros, places.who(row), places.stack(row), cpu, value, times);
          }
        });
  }

  /** The series, thread and stack of each row of a profile; looked up once per row. */
  private final class RowPlaces {
    private final Profile profile;
    private final Labels given;
    private final StackDictionary stacks;
    private final SampleBuffer buffer;
    private final int measure;
    private final int[] whos;
    private final int[] numbers;
    private final Map<Long, Integer> known = new HashMap<>();

    RowPlaces(
        Profile profile,
        Labels given,
        StackDictionary stacks,
        SampleBuffer buffer,
        Measure measure) {
      this.profile = profile;
      this.given = given;
      this.stacks = stacks;
      this.buffer = buffer;
      this.measure = series.measure(measure);
      this.whos = new int[profile.rows()];
      this.numbers = new int[profile.rows()];
    }

    int who(int row) {
      if (whos[row] == 0) {
        long key = (long) profile.threadId(row) << 32 | profile.labelsId(row);
        whos[row] =
            known.computeIfAbsent(
                key, k -> makeWho(profile.thread(row), profile.labels(row), given) + 1);
      }
      return whos[row] - 1;
    }

    int stack(int row) {
      if (numbers[row] == 0) {
        numbers[row] = stacks.number(profile.stacks(), profile.stack(row)) + 1;
      }
      return numbers[row] - 1;
    }

    private int makeWho(ThreadInfo thread, Labels own, Labels givenLabels) {
      TreeMap<String, String> few = new TreeMap<>(givenLabels.values());
      TreeMap<String, String> many = new TreeMap<>();
      int pid = thread.pid();
      String name = thread.comm();
      if (pid == 0 && few.containsKey("pid")) {
        pid = number(few.get("pid"));
      }
      if (name.isEmpty() && few.containsKey("thread")) {
        name = few.get("thread");
      }
      few.remove("pid");
      few.remove("thread");
      // Labels about the profile itself or about the client's connection.
      few.keySet().removeIf(label -> label.startsWith("__"));
      own.values()
          .forEach(
              (label, value) -> (details.isDetail(label, value) ? many : few).put(label, value));
      many.computeIfPresent(
          "waker_stack",
          (label, stack) -> StoredFrames.wakerStack(many.getOrDefault("waker", ""), stack));
      put(few, "comm", thread.processComm());
      put(few, "cgroup", thread.cgroup());
      Cgroups.container(thread.cgroup()).ifPresent(id -> few.putIfAbsent("container", id));
      few.computeIfAbsent(
          "service_name", n -> service(few.getOrDefault("container", ""), thread, few));
      few.values().removeIf(String::isEmpty);
      int id = series(few, many);
      return buffer.who(
          new Who(id, pid, thread.tid(), thread.startNanos(), name, details.id(new Labels(many))));
    }

    /** Beyond the limit, rows share one series and keep their labels as details. */
    private int series(TreeMap<String, String> few, TreeMap<String, String> many) {
      Labels labels = new Labels(few);
      if (series.size() < MAX_SERIES || series.knows(measure, labels)) {
        return series.series(measure, labels);
      }
      few.forEach(many::putIfAbsent);
      many.keySet().forEach(details::restoreName);
      return series.series(measure, OTHERS);
    }
  }

  private static void put(Map<String, String> labels, String name, String value) {
    if (!value.isEmpty()) {
      labels.put(name, value);
    }
  }

  private static String service(String container, ThreadInfo thread, Map<String, String> labels) {
    if (!container.isEmpty()) {
      return container;
    }
    return Cgroups.unit(thread.cgroup()).orElse(labels.getOrDefault("comm", ""));
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
