package dev.plumb.push;

import dev.plumb.profile.Cgroups;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A service's part of a profile, which is pushed as one series. Threads and processes are summed
 * up; otherwise each of them would become a series.
 */
record ServiceProfile(Labels labels, Profile profile) {
  /** The most samples that receivers take in one profile. */
  static final int MAX_ROWS = 16_000;

  /** The parts of a profile, without the threads that are not pushed. */
  static List<ServiceProfile> split(Profile profile, PushLabels labelling) {
    List<Optional<Labels>> ofThread =
        profile.threads().stream().map(thread -> labels(thread, labelling)).toList();
    Map<Labels, List<Part>> parts = new LinkedHashMap<>();
    for (int row = 0; row < profile.rows(); row++) {
      int thread = profile.threadId(row);
      if (ofThread.get(thread).isEmpty()) {
        continue;
      }
      List<Part> all = parts.computeIfAbsent(ofThread.get(thread).get(), l -> new ArrayList<>());
      if (all.isEmpty() || all.getLast().isFull()) {
        all.add(new Part(profile, profile.threads().get(thread)));
      }
      all.getLast().add(row);
    }
    List<ServiceProfile> split = new ArrayList<>();
    parts.forEach(
        (labels, all) -> all.forEach(part -> split.add(new ServiceProfile(labels, part.build()))));
    return split;
  }

  private static Optional<Labels> labels(ThreadInfo thread, PushLabels labelling) {
    return labelling
        .labels(thread)
        .map(
            given -> {
              String comm = thread.processComm();
              Labels labels = comm.isEmpty() ? given : given.with("comm", comm);
              if (!given.values().containsKey("service_name")) {
                labels = labels.with("service_name", Cgroups.service(thread));
              }
              String container = Cgroups.container(thread.cgroup()).orElse("");
              return container.isEmpty() ? labels : labels.with("container", container);
            });
  }

  /** The same rows in two parts, for receivers that do not take so much at once. */
  List<ServiceProfile> halves() {
    int half = profile.rows() / 2;
    return List.of(
        new ServiceProfile(labels, rows(0, half)),
        new ServiceProfile(labels, rows(half, profile.rows())));
  }

  private Profile rows(int from, int to) {
    Part part = new Part(profile, profile.threads().getFirst());
    for (int row = from; row < to; row++) {
      part.add(row);
    }
    return part.build();
  }

  /** Rows of one profile, summed over threads. */
  private static final class Part {
    private final Profile from;
    private final Profile.Builder builder;
    private final int thread;
    private int rows;

    Part(Profile from, ThreadInfo of) {
      this.from = from;
      this.builder =
          new Profile.Builder(
              from.mode(),
              from.name(),
              from.types(),
              from.mainType(),
              from.periodType(),
              from.period());
      this.thread = builder.thread(new ThreadInfo(0, 0, 0, 0, "", of.processComm(), ""));
      builder.labels(Labels.NONE);
    }

    boolean isFull() {
      return rows == MAX_ROWS;
    }

    void add(int row) {
      int at = builder.row(from.stack(row), thread, 0);
      for (int type = 0; type < from.types().size(); type++) {
        builder.add(at, type, from.value(row, type));
      }
      rows = Math.max(rows, at + 1);
    }

    Profile build() {
      return builder.build(from.stacks(), Timeline.EMPTY, Quality.UNKNOWN);
    }
  }
}
