package dev.plumb.collect;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.mode.DetailKeeper;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.RecordTaker;
import dev.plumb.collect.mode.SumTaker;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.collect.raw.RowBudget;
import dev.plumb.linux.SyscallException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The modes of a recording: what each has measured, and the collectors that feed them. A mode that
 * is not possible is left out as long as there are others.
 */
final class ActiveModes implements AutoCloseable {
  private final Map<String, RawProfile> profiles = new LinkedHashMap<>();

  /** By the names of their modes. */
  private final Map<String, Collector> collectors = new LinkedHashMap<>();

  private final Map<String, String> refused = new LinkedHashMap<>();

  ActiveModes(CollectorContext context, RowBudget room) {
    RecordOptions options = context.options();
    Map<String, List<RawProfile>> fed = new LinkedHashMap<>();
    for (String name : options.modes()) {
      Mode mode = Modes.of(name);
      RawProfile profile = new RawProfile(mode.meaning().apply(name, options.hertz()), room);
      profiles.put(name, profile);
      mode.parts(name).forEach(p -> fed.computeIfAbsent(p, x -> new ArrayList<>()).add(profile));
    }
    fed.forEach(
        (part, all) ->
            collectors.put(part, Modes.of(part).collector().make(part, context, List.copyOf(all))));
  }

  /**
   * Does something to all collectors; a mode that fails is left out as long as there are others.
   */
  void attempt(Consumer<Collector> step) {
    for (Map.Entry<String, Collector> entry : List.copyOf(collectors.entrySet())) {
      try {
        step.accept(entry.getValue());
      } catch (BpfException | SyscallException | ModeException e) {
        entry.getValue().close();
        collectors.remove(entry.getKey());
        for (String mode : List.copyOf(profiles.keySet())) {
          if (Modes.of(mode).parts(mode).contains(entry.getKey())) {
            profiles.remove(mode);
            refused.put(mode, e.getMessage());
          }
        }
        if (profiles.isEmpty()) {
          throw e;
        }
      }
    }
  }

  /** The modes that are not recorded because it is not possible, and why. */
  Map<String, String> refused() {
    return Collections.unmodifiableMap(refused);
  }

  void each(Consumer<Collector> step) {
    collectors.values().forEach(step);
  }

  /** Does something to the collectors that have an optional part of the contract. */
  <T> void each(Class<T> part, Consumer<T> step) {
    each(
        collector -> {
          if (part.isInstance(collector)) {
            step.accept(part.cast(collector));
          }
        });
  }

  void take(int kind, MemorySegment record) {
    for (Collector collector : collectors.values()) {
      if (collector.recordKind() == kind) {
        ((RecordTaker) collector).take(record);
      }
    }
  }

  void takeSum(int kind, KernelSum sum) {
    for (Collector collector : collectors.values()) {
      if (collector.recordKind() == kind) {
        ((SumTaker) collector).takeSum(sum);
      }
    }
  }

  /** Whether one of them keeps so much that it had better forget it. */
  boolean areLarge() {
    return collectors.values().stream()
        .anyMatch(collector -> collector instanceof DetailKeeper keeper && keeper.isLarge());
  }

  /** Samples taken so far, over all modes. */
  long samples() {
    return profiles.values().stream().mapToLong(RawProfile::samples).sum();
  }

  /** Samples that have no time because the temporary disk is full. */
  long untimed() {
    return profiles.values().stream().mapToLong(RawProfile::untimed).sum();
  }

  /** What was lost so far, over all modes. */
  long lost(Losses losses) {
    long lost = 0;
    for (Map.Entry<String, RawProfile> entry : profiles.entrySet()) {
      lost += entry.getValue().lostInAll();
      lost += feeding(entry.getKey()).stream().mapToLong(losses::total).sum();
    }
    return lost;
  }

  /** How many events of a mode the kernel side wanted to keep, with those that it missed. */
  long due(String mode, KernelPrograms kernel) {
    long due = 0;
    for (Collector collector : feeding(mode)) {
      due += collector instanceof OngoingCounter counter ? counter.unended() : 0;
      for (Collection object : collector.objects()) {
        due += kernel.counter(object, Counter.DUE) + object.missedCalls();
      }
    }
    return due;
  }

  /** Names what was measured. */
  void nameAll(RecordingBuilder builder, Losses losses) {
    name(profiles, builder, losses);
  }

  /** Names what was measured since the last time; what comes from now on is another part. */
  void nameParts(RecordingBuilder builder, Losses losses) {
    Map<String, RawProfile> parts = new LinkedHashMap<>();
    profiles.forEach((mode, profile) -> parts.put(mode, profile.cut()));
    name(parts, builder, losses);
  }

  private void name(Map<String, RawProfile> all, RecordingBuilder builder, Losses losses) {
    Map<Collector, Map<String, Long>> lost = new HashMap<>();
    each(collector -> lost.put(collector, losses.since(collector)));
    all.forEach(
        (mode, profile) -> {
          List<Collector> feeding = feeding(mode);
          Map<String, Long> own = new HashMap<>();
          feeding.forEach(c -> lost.get(c).forEach((why, n) -> own.merge(why, n, Long::sum)));
          // The last one that feeds it knows most of it: of wall, offcpu. The first one samples.
          builder.add(profile, feeding.getLast(), feeding.getFirst(), own);
        });
  }

  /** The collectors that a mode's samples come from. */
  private List<Collector> feeding(String mode) {
    return Modes.of(mode).parts(mode).stream().map(collectors::get).toList();
  }

  @Override
  public void close() {
    each(Collector::close);
  }
}
