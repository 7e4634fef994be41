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
import dev.plumb.store.query.StoreSnapshot;
import dev.plumb.store.query.SumQueries;
import dev.plumb.store.query.TimelineQuery;
import dev.plumb.store.segment.DeferredDeletions;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.upkeep.Ageing;
import dev.plumb.store.upkeep.CrashRepair;
import dev.plumb.store.upkeep.DamagedFiles;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Profiles over time: takes recordings, answers questions, keeps within its disk.
 *
 * <p>What is added is written within a second, or as soon as somebody asks.
 */
public final class Store implements Sink, History, ReadableStore {
  /** What DuckDB needs beside the rows. */
  private static final long WORKING_BYTES = 64L << 20;

  /** A question, as it is asked. */
  @FunctionalInterface
  private interface Asking<T> {
    T ask(StoreSnapshot snapshot, SelectorResolver resolver) throws SQLException;
  }

  private final Database database;
  private final Optional<Path> folder;
  private final SegmentFolder files;
  private final DeferredDeletions deletions;
  private final SeriesTable series = new SeriesTable();
  private final DetailTable details = new DetailTable();
  private final StackDictionaries stacks = new StackDictionaries();
  private final WriteBuffer buffer;
  private final Optional<UpkeepThreads> upkeep;
  private final List<String> notices;

  /** Fair: else a question that wants to be alone would never be. */
  private final ReentrantReadWriteLock asking = new ReentrantReadWriteLock(true);

  private final Lock beside = asking.readLock();
  private final Lock alone = asking.writeLock();

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

  /** One that is only read. */
  private Store(Database database, Path folder, StoreLimits limits, List<String> notices)
      throws SQLException {
    this.database = database;
    this.folder = Optional.empty();
    this.files = new SegmentFolder(folder);
    this.deletions = new DeferredDeletions();
    this.notices = new CopyOnWriteArrayList<>(notices);
    this.buffer = restore(limits);
    this.upkeep = Optional.empty();
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

  /** Opens the store in a folder, or makes one. */
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

  /** Opens a store that there is, to ask only. */
  public static Store openToRead(Path folder) {
    StoreOpening.Opened opened = StoreOpening.openToRead(folder);
    try {
      return new Store(opened.database(), opened.folder(), opened.limits(), opened.notices());
    } catch (SQLException e) {
      close(opened.database());
      throw DatabaseFailure.reading(e);
    }
  }

  /** A store without a disk, for when there is none: it keeps the newest that fits. */
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

  /** What was found broken and repaired or set aside, for people; empty if all was well. */
  public List<String> notices() {
    return List.copyOf(notices);
  }

  /** Why the last writing in the background failed; empty if it did not. */
  public Optional<String> problem() {
    return upkeep.flatMap(UpkeepThreads::problem);
  }

  /** Says where this store can be asked while this process has it open. */
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
      throw new StoreException("the store is open to read only");
    }
  }

  @Override
  public OptionalLong lastAdded(String source) {
    return buffer.lastAdded(source);
  }

  @Override
  public void sql(String query, SqlTable table) {
    answer(
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

  /** Makes segments of all that there is, and drops what is too much; for tests and benchmarks. */
  void settle() {
    upkeep.orElseThrow().settle();
  }

  private <T> T answer(Asking<T> asking) {
    buffer.flushForReader();
    try {
      return QueryThreads.run(() -> askTwice(asking));
    } catch (SQLException e) {
      throw DatabaseFailure.reading(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Again if damaged files are out of the way then; and again alone if DuckDB had no memory left
   * beside other questions.
   */
  private <T> T askTwice(Asking<T> asking) throws SQLException {
    SQLException failure;
    beside.lock();
    try {
      return ask(asking);
    } catch (SQLException e) {
      if (!DatabaseFailure.isMemory(e) && !(DatabaseFailure.isDamage(e) && setDamagedAside())) {
        throw e;
      }
      failure = e;
    } finally {
      beside.unlock();
    }
    if (!awaitOthers()) {
      throw failure;
    }
    try {
      return ask(asking);
    } finally {
      alone.unlock();
    }
  }

  private boolean awaitOthers() {
    try {
      return alone.tryLock(ReadTransaction.LIMIT.toSeconds() / 2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private <T> T ask(Asking<T> asking) throws SQLException {
    long ticket = deletions.enter();
    try (ReadTransaction reader = new ReadTransaction(database)) {
      return asking.ask(new StoreSnapshot(reader, files), new SelectorResolver(series, details, reader));
    } finally {
      deletions.leave(ticket);
    }
  }

  /**
   * Gives back what the database keeps of what it has read and written. Not while it is asked: a
   * question would find no memory meanwhile.
   */
  public void giveBackMemory() {
    if (!alone.tryLock()) {
      return;
    }
    try {
      buffer.checkpoint(); // what is only in the log is in memory too
      database.giveBackMemory();
    } catch (SQLException e) {
      // Then it keeps it.
    } finally {
      alone.unlock();
    }
  }

  /** Whether files were damaged, which are out of the way now. */
  private boolean setDamagedAside() {
    try {
      List<String> found = new DamagedFiles(database, buffer, files).setAside();
      notices.addAll(found);
      return !found.isEmpty();
    } catch (SQLException | IOException e) {
      return false;
    }
  }

  @Override
  public Optional<TimeRange> span() {
    return answer((snapshot, resolver) -> snapshot.span());
  }

  @Override
  public List<ProfileType> types(TimeRange range) {
    return answer((snapshot, resolver) -> new LabelQueries(snapshot, resolver).types(range));
  }

  @Override
  public SortedSet<String> labelNames(Selector selector, TimeRange range) {
    return answer((snapshot, resolver) -> new LabelQueries(snapshot, resolver).names(selector, range));
  }

  @Override
  public SortedSet<String> labelValues(String name, Selector selector, TimeRange range) {
    return answer(
        (snapshot, resolver) -> new LabelQueries(snapshot, resolver).values(name, selector, range));
  }

  @Override
  public List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range) {
    return answer((snapshot, resolver) -> new LabelQueries(snapshot, resolver).series(anyOf, names, range));
  }

  @Override
  public List<TimeSeries> timeline(
      Selection selection, List<String> groupBy, long stepNanos, int limit) {
    return answer(
        (snapshot, resolver) ->
            new TimelineQuery(snapshot, resolver).timeline(selection, groupBy, stepNanos, limit));
  }

  @Override
  public Profile merged(Selection selection) {
    return answer(
        (snapshot, resolver) -> new SumQueries(snapshot, resolver, stacks).merged(selection, true));
  }

  @Override
  public Profile functions(Selection selection) {
    return answer(
        (snapshot, resolver) -> new SumQueries(snapshot, resolver, stacks).merged(selection, false));
  }

  @Override
  public Recording samples(Selection selection, long limit) {
    return answer(
        (snapshot, resolver) ->
            new SampleQueries(snapshot, resolver, stacks).samples(selection, limit, true));
  }

  @Override
  public Recording lanes(Selection selection, long limit) {
    return answer(
        (snapshot, resolver) ->
            new SampleQueries(snapshot, resolver, stacks).samples(selection, limit, false));
  }

  @Override
  public Heatmap heatmap(Selection selection, int columns, int rows) {
    return answer(
        (snapshot, resolver) ->
            new SumQueries(snapshot, resolver, stacks).heatmap(selection, columns, rows));
  }

  @Override
  public List<ProcessSummary> processes(Selection selection, int limit) {
    return answer(
        (snapshot, resolver) -> new SampleQueries(snapshot, resolver, stacks).processes(selection, limit));
  }

  @Override
  public Quality quality(ProfileType type, TimeRange range) {
    return answer(
        (snapshot, resolver) -> new SampleQueries(snapshot, resolver, stacks).quality(type, range));
  }

  /** Writes what waits. A store that cannot be written any more is closed all the same. */
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
      // The next run will say that this one was not closed.
    }
  }
}
