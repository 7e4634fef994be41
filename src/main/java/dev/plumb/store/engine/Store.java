package dev.plumb.store.engine;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.store.Heatmap;
import dev.plumb.store.History;
import dev.plumb.store.ProcessSummary;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.Sink;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.StoreLimits;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionaries;
import dev.plumb.store.query.LabelQueries;
import dev.plumb.store.query.SampleQueries;
import dev.plumb.store.query.SelectorResolver;
import dev.plumb.store.query.SqlQuery;
import dev.plumb.store.query.SumQueries;
import dev.plumb.store.query.SumQueries.Detail;
import dev.plumb.store.query.TimelineQuery;
import dev.plumb.store.segment.DeferredDeletions;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.upkeep.Ageing;
import dev.plumb.store.upkeep.CrashRepair;
import dev.plumb.store.upkeep.DiskUpkeep;
import dev.plumb.store.upkeep.MemoryUpkeep;
import dev.plumb.store.upkeep.UpkeepThreads;
import dev.plumb.store.write.WriteBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Profiles over time: takes recordings, runs queries, stays within its disk budget.
 *
 * <p>What is added is written within a second, or before the next query runs.
 */
public final class Store implements Sink, History, ReadableStore {
  /** What DuckDB needs in addition to the rows. */
  private static final long WORKING_BYTES = 64L << 20;

  private static final Detail LINES = new Detail(true, false);
  private static final Detail FUNCTIONS = new Detail(false, false);
  private static final Detail COUNTED_LINES = new Detail(true, true);
  private static final Detail COUNTED_FUNCTIONS = new Detail(false, true);

  private final Database database;
  private final Optional<Path> folder;
  private final SegmentFolder files;
  private final DeferredDeletions deletions;
  private final SeriesTable series = new SeriesTable();
  private final DetailTable details = new DetailTable();
  private final StackDictionaries stacks = new StackDictionaries();
  private final WriteBuffer buffer;
  private final QueryRunner queries;
  private final Optional<UpkeepThreads> upkeep;
  private final List<String> notices;

  private Store(
      Database database,
      Optional<Path> folder,
      StoreLimits limits,
      Optional<Ageing> ageing,
      List<String> notices)
      throws SQLException {
    this.database = database;
    this.folder = folder;
    this.files = new SegmentFolder(folder.orElse(Path.of("")));
    this.deletions = new DeferredDeletions();
    this.notices = new CopyOnWriteArrayList<>(notices);
    this.buffer = restore(limits);
    this.queries =
        new QueryRunner(database, buffer, files, deletions, this::resolver, this.notices);
    if (ageing.isPresent()) {
      try (ReadTransaction reader = new ReadTransaction(database)) {
        ageing.orElseThrow().restore(reader);
      }
    }
    UpkeepThreads.Work work =
        folder.isPresent()
            ? new DiskUpkeep(database, buffer, files, deletions, limits, ageing)
            : new MemoryUpkeep(buffer);
    this.upkeep = Optional.of(new UpkeepThreads(buffer, work));
  }

  /** A store that is only read. */
  private Store(Database database, Path folder, StoreLimits limits, List<String> notices)
      throws SQLException {
    this.database = database;
    this.folder = Optional.empty();
    this.files = new SegmentFolder(folder);
    this.deletions = new DeferredDeletions();
    this.notices = new CopyOnWriteArrayList<>(notices);
    this.buffer = restore(limits);
    this.queries =
        new QueryRunner(database, buffer, files, deletions, this::resolver, this.notices);
    this.upkeep = Optional.empty();
  }

  private SelectorResolver resolver(ReadTransaction reader) {
    return new SelectorResolver(series, details, reader);
  }

  private WriteBuffer restore(StoreLimits limits) throws SQLException {
    try (ReadTransaction reader = new ReadTransaction(database)) {
      stacks.restore(reader);
      StateLoader restore = new StateLoader(reader);
      restore.series(series);
      restore.details(details);
      List<Integer> tables = restore.tables();
      WriteBuffer restored = new WriteBuffer(database, limits, series, details, stacks);
      restored.restore(tables, restore.rows(tables.getLast()), restore.marks());
      return restored;
    }
  }

  /** Opens the store in a folder, or creates one. */
  public static Store open(StoreOptions options) {
    return open(options, Ageing.Clocks.SYSTEM);
  }

  static Store open(StoreOptions options, Ageing.Clocks clocks) {
    StoreOpening.Opened opened = StoreOpening.open(options);
    boolean done = false;
    try {
      Store store =
          new Store(
              opened.database(),
              Optional.of(opened.folder()),
              opened.limits(),
              options.maxAge().map(age -> new Ageing(age, clocks)),
              opened.notices());
      done = true;
      return store;
    } catch (SQLException e) {
      throw DatabaseFailure.reading(e);
    } finally {
      if (!done) {
        close(opened.database());
        StoreOpening.forget(opened.folder());
      }
    }
  }

  /** Opens an existing store for queries only. */
  public static Store openToRead(Path folder) {
    StoreOpening.Opened opened = StoreOpening.openToRead(folder);
    try {
      return new Store(opened.database(), opened.folder(), opened.limits(), opened.notices());
    } catch (SQLException e) {
      close(opened.database());
      throw DatabaseFailure.reading(e);
    }
  }

  /** A store in memory, for a machine without a usable disk: it keeps the newest that fits. */
  public static Store inMemory(long bytes) {
    try {
      Database database = Database.inMemory(bytes + WORKING_BYTES);
      CrashRepair.makeTables(database);
      return new Store(
          database, Optional.empty(), StoreLimits.inMemory(bytes), Optional.empty(), List.of());
    } catch (SQLException e) {
      throw DatabaseFailure.reading(e);
    }
  }

  /** What was found damaged and repaired or set aside, for people; empty if all was well. */
  public List<String> notices() {
    return List.copyOf(notices);
  }

  /** Why the last write in the background failed; empty if it did not. */
  public Optional<String> problem() {
    return upkeep.flatMap(UpkeepThreads::problem);
  }

  /** Announces the address at which this process, which has the store open, answers queries. */
  public void announce(String address) {
    if (folder.isPresent()) {
      try {
        StoreOpening.announce(folder.orElseThrow(), address);
      } catch (IOException e) {
        throw new StoreException("the store's folder cannot be written: " + e.getMessage(), e);
      }
    }
  }

  @Override
  public void add(Recording recording, Labels labels) {
    refuseIfReadOnly();
    buffer.add(recording, labels);
  }

  @Override
  public void addCommitted(Recording recording, Labels labels) {
    refuseIfReadOnly();
    buffer.addCommitted(recording, labels, Optional.empty());
  }

  @Override
  public boolean addCommitted(Recording recording, Labels labels, SpoolMark mark) {
    refuseIfReadOnly();
    return buffer.addCommitted(recording, labels, Optional.of(mark));
  }

  private void refuseIfReadOnly() {
    if (upkeep.isEmpty()) {
      throw new StoreException("the store is open for reading only");
    }
  }

  @Override
  public OptionalLong lastAdded(String source) {
    return buffer.lastAdded(source);
  }

  @Override
  public void sql(String query, SqlTable table) {
    queries.run(
        (snapshot, resolver) -> {
          new SqlQuery(snapshot).run(query, table);
          return true;
        });
  }

  @Override
  public Optional<ProfileType> mainType(String mode) {
    return series.measures().stream()
        .filter(measure -> measure.mode().equals(mode))
        .map(Measure::type)
        .findFirst();
  }

  /** Makes segments of all samples and enforces the disk budget; for tests and benchmarks. */
  void settle() {
    upkeep.orElseThrow().settle();
  }

  /** Gives back the memory that the database keeps, unless a query is running. */
  public void giveBackMemory() {
    queries.giveBackMemory();
  }

  @Override
  public Optional<TimeRange> span() {
    return queries.run((snapshot, resolver) -> snapshot.span());
  }

  @Override
  public List<ProfileType> types(TimeRange range) {
    return queries.run((snapshot, resolver) -> new LabelQueries(snapshot, resolver).types(range));
  }

  @Override
  public SortedSet<String> labelNames(Selector selector, TimeRange range) {
    return queries.run(
        (snapshot, resolver) -> new LabelQueries(snapshot, resolver).names(selector, range));
  }

  @Override
  public SortedSet<String> labelValues(String name, Selector selector, TimeRange range) {
    return queries.run(
        (snapshot, resolver) -> new LabelQueries(snapshot, resolver).values(name, selector, range));
  }

  @Override
  public List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range) {
    return queries.run(
        (snapshot, resolver) -> new LabelQueries(snapshot, resolver).series(anyOf, names, range));
  }

  @Override
  public List<TimeSeries> timeline(
      Selection selection, List<String> groupBy, long stepNanos, int limit) {
    return queries.run(
        (snapshot, resolver) ->
            new TimelineQuery(snapshot, resolver).timeline(selection, groupBy, stepNanos, limit));
  }

  @Override
  public Profile merged(Selection selection) {
    return queries.run(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).merged(selection, LINES));
  }

  @Override
  public Profile functions(Selection selection) {
    return queries.run(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).merged(selection, FUNCTIONS));
  }

  @Override
  public Profile mergedWithCounts(Selection selection) {
    return queries.run(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).merged(selection, COUNTED_LINES));
  }

  @Override
  public Profile functionsWithCounts(Selection selection) {
    return queries.run(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).merged(selection, COUNTED_FUNCTIONS));
  }

  @Override
  public Recording samples(Selection selection, long limit) {
    return queries.run(
        (snapshot, resolver) ->
            new SampleQueries(snapshot, resolver, stacks).samples(selection, limit, true));
  }

  @Override
  public Recording lanes(Selection selection, long limit) {
    return queries.run(
        (snapshot, resolver) ->
            new SampleQueries(snapshot, resolver, stacks).samples(selection, limit, false));
  }

  @Override
  public Heatmap heatmap(Selection selection, int columns, int rows) {
    return queries.run(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).heatmap(selection, columns, rows));
  }

  @Override
  public List<ProcessSummary> processes(Selection selection, int limit) {
    return queries.run(
        (snapshot, resolver) ->
            new SampleQueries(snapshot, resolver, stacks).processes(selection, limit));
  }

  @Override
  public Quality quality(ProfileType type, TimeRange range) {
    return queries.run(
        (snapshot, resolver) -> new SampleQueries(snapshot, resolver, stacks).quality(type, range));
  }

  /** Writes the pending rows. A store that can no longer be written is closed all the same. */
  @Override
  public void close() {
    upkeep.ifPresent(UpkeepThreads::close);
    try {
      buffer.flush();
    } finally {
      close(database);
      folder.ifPresent(Store::closed);
    }
  }

  private static void close(Database database) {
    try {
      database.close();
    } catch (SQLException e) {
      throw new StoreException("the store could not be closed: " + e.getMessage(), e);
    }
  }

  private static void closed(Path folder) {
    try {
      StoreOpening.closed(folder);
    } catch (IOException e) {
      // The next run will report that this one was not closed.
    }
  }
}
