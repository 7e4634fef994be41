package dev.plumb.store.dictionary;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Numbers measures and series; a series is a measure with those labels that have few values. All of
 * it is in memory; the database holds a copy.
 */
public final class SeriesTable {
  /** A measure and the labels of all its rows. */
  public record Entry(int id, int measure, Labels labels) {}

  private record Key(int measure, Labels labels) {}

  private final List<Measure> measures = new ArrayList<>();
  private final Map<Measure, Integer> measureIds = new HashMap<>();
  private final List<Entry> series = new ArrayList<>();
  private final Map<Key, Integer> seriesIds = new HashMap<>();
  private int nextSeries;
  private int storedMeasures;
  private int storedSeries;

  public synchronized int measure(Measure measure) {
    Integer known = measureIds.putIfAbsent(measure.key(), measures.size());
    if (known != null) {
      return known;
    }
    measures.add(measure);
    return measures.size() - 1;
  }

  public synchronized boolean knows(int measure, Labels labels) {
    return seriesIds.containsKey(new Key(measure, labels));
  }

  public synchronized int series(int measure, Labels labels) {
    Key key = new Key(measure, labels);
    Integer known = seriesIds.get(key);
    if (known != null) {
      return known;
    }
    restore(new Entry(nextSeries, measure, labels));
    return nextSeries - 1;
  }

  /** Restores a series from the database. */
  public synchronized void restore(Entry entry) {
    series.add(entry);
    seriesIds.put(new Key(entry.measure(), entry.labels()), entry.id());
    nextSeries = Math.max(nextSeries, entry.id() + 1);
  }

  /** Numbers of dropped series are not reused. */
  public synchronized void startAt(int id) {
    nextSeries = Math.max(nextSeries, id);
  }

  public synchronized void retain(IntPredicate used) {
    List<Entry> kept = new ArrayList<>();
    int stored = 0;
    for (int i = 0; i < series.size(); i++) {
      Entry entry = series.get(i);
      boolean isStored = i < storedSeries;
      if (!isStored || used.test(entry.id())) {
        kept.add(entry);
        stored += isStored ? 1 : 0;
      } else {
        seriesIds.remove(new Key(entry.measure(), entry.labels()));
      }
    }
    series.clear();
    series.addAll(kept);
    storedSeries = stored;
  }

  public synchronized List<Measure> measures() {
    return List.copyOf(measures);
  }

  public synchronized List<Entry> all() {
    return List.copyOf(series);
  }

  public synchronized int measuresToStore() {
    return storedMeasures;
  }

  public synchronized List<Entry> seriesToStore() {
    return List.copyOf(series.subList(storedSeries, series.size()));
  }

  public synchronized int size() {
    return series.size();
  }

  /** These are in the database now. */
  public synchronized void stored(int measureCount, int newSeries) {
    storedMeasures = measureCount;
    storedSeries += newSeries;
  }

  /** Whether any measure has this type, as its value or as its count. */
  public static boolean measures(Measure measure, ProfileType type) {
    return measure.type().equals(type) || measure.countType().filter(type::equals).isPresent();
  }
}
