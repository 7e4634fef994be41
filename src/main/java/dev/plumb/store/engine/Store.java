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
import dev.plumb.store.Series;
import dev.plumb.store.Sink;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.Failure;
import dev.plumb.store.database.Limits;
import dev.plumb.store.database.Reader;
import dev.plumb.store.dictionary.Details;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.Stacks;
import dev.plumb.store.query.LabelAnswers;
import dev.plumb.store.query.Resolver;
import dev.plumb.store.query.SampleAnswers;
import dev.plumb.store.query.SqlAnswers;
import dev.plumb.store.query.SumAnswers;
import dev.plumb.store.query.TimelineAnswers;
import dev.plumb.store.query.View;
import dev.plumb.store.segment.Deletions;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.upkeep.Ageing;
import dev.plumb.store.upkeep.Damage;
import dev.plumb.store.upkeep.Keeper;
import dev.plumb.store.upkeep.MemoryKeeper;
import dev.plumb.store.upkeep.Repair;
import dev.plumb.store.upkeep.Upkeep;
import dev.plumb.store.write.Contents;
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
    T ask(View view, Resolver resolver) throws SQLException;
  }

  private final Database database;
  private final Optional<Path> folder;
  private final SegmentFolder files;
  private final Deletions deletions;
  private final SeriesTable series = new SeriesTable();
  private final Details details = new Details();
  private final Stacks stacks = new Stacks();
  private final Contents contents;
  private final Optional<Upkeep> upkeep;
  private final List<String> notices;

  /** Fair: else a question that wants to be alone would never be. */
  private final ReentrantReadWriteLock asking = new ReentrantReadWriteLock(true);

  private final Lock beside = asking.readLock();
  private final Lock alone = asking.writeLock();

  private Store(
      Database database,
      Optional<Path> folder,
      Limits limits,
      Optional<Ageing> ageing,
      List<String> notices)
      throws SQLException {
    this.database = database;
    this.folder = folder;
    this.files = new SegmentFolder(folder.orElse(Path.of("")));
    this.deletions = new Deletions();
    this.notices = new CopyOnWriteArrayList<>(notices);
    this.contents = restore(limits);
    if (ageing.isPresent()) {
      try (Reader reader = new Reader(database)) {
        ageing.orElseThrow().restore(reader);
      }
    }
    Upkeep.Work work =
        folder.isPresent()
            ? new Keeper(database, contents, files, deletions, limits, ageing)
            : new MemoryKeeper(contents);
    this.upkeep = Optional.of(new Upkeep(contents, work));
  }

  /** One that is only read. */
  private Store(Database database, Path folder, Limits limits, List<String> notices)
      throws SQLException {
    this.database = database;
    this.folder = Optional.empty();
    this.files = new SegmentFolder(folder);
    this.deletions = new Deletions();
    this.notices = new CopyOnWriteArrayList<>(notices);
    this.contents = restore(limits);
    this.upkeep = Optional.empty();
  }

  private Contents restore(Limits limits) throws SQLException {
    try (Reader reader = new Reader(database)) {
      stacks.restore(reader);
      Restore restore = new Restore(reader);
      restore.series(series);
      restore.details(details);
      List<Integer> tables = restore.tables();
      Contents restored = new Contents(database, limits, series, details, stacks);
      restored.restore(tables, restore.rows(tables.getLast()), restore.marks());
      return restored;
    }
  }

  /** Opens the store in a folder, or makes one. */
  public static Store open(StoreOptions options) {
    return open(options, Ageing.Clocks.SYSTEM);
  }

  static Store open(StoreOptions options, Ageing.Clocks clocks) {
    Opening.Opened opened = Opening.open(options);
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
      throw Failure.reading(e);
    } finally {
      if (!done) {
        close(opened.database());
        Opening.forget(opened.folder());
      }
    }
  }

  /** Opens a store that there is, to ask only. */
  public static Store openToRead(Path folder) {
    Opening.Opened opened = Opening.openToRead(folder);
    try {
      return new Store(opened.database(), opened.folder(), opened.limits(), opened.notices());
    } catch (SQLException e) {
      close(opened.database());
      throw Failure.reading(e);
    }
  }

  /** A store without a disk, for when there is none: it keeps the newest that fits. */
  public static Store inMemory(long bytes) {
    try {
      Database database = Database.inMemory(bytes + WORKING_BYTES);
      Repair.makeTables(database);
      return new Store(
          database, Optional.empty(), Limits.inMemory(bytes), Optional.empty(), List.of());
    } catch (SQLException e) {
      throw Failure.reading(e);
    }
  }

  /** What was found broken and repaired or set aside, for people; empty if all was well. */
  public List<String> notices() {
    return List.copyOf(notices);
  }

  /** Why the last writing in the background failed; empty if it did not. */
  public Optional<String> problem() {
    return upkeep.flatMap(Upkeep::problem);
  }

  /** Says where this store can be asked while this process has it open. */
  public void announce(String address) {
    if (folder.isPresent()) {
      try {
        Opening.announce(folder.orElseThrow(), address);
      } catch (IOException e) {
        throw new StoreException("the store's folder cannot be written: " + e.getMessage(), e);
      }
    }
  }

  @Override
  public void add(Recording recording, Labels labels) {
    refuseIfReadOnly();
    contents.add(recording, labels);
  }

  @Override
  public void addCommitted(Recording recording, Labels labels) {
    refuseIfReadOnly();
    contents.addCommitted(recording, labels, Optional.empty());
  }

  @Override
  public boolean addCommitted(Recording recording, Labels labels, SpoolMark mark) {
    refuseIfReadOnly();
    return contents.addCommitted(recording, labels, Optional.of(mark));
  }

  private void refuseIfReadOnly() {
    if (upkeep.isEmpty()) {
      throw new StoreException("the store is open to read only");
    }
  }

  @Override
  public OptionalLong lastAdded(String source) {
    return contents.lastAdded(source);
  }

  @Override
  public void sql(String query, SqlTable table) {
    answer(
        (view, resolver) -> {
          new SqlAnswers(view).run(query, table);
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
    contents.flushForReader();
    try {
      return AnswerThreads.run(() -> askTwice(asking));
    } catch (SQLException e) {
      throw Failure.reading(e);
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
      if (!Failure.isMemory(e) && !(Failure.isDamage(e) && setDamagedAside())) {
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
      return alone.tryLock(Reader.LIMIT.toSeconds() / 2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private <T> T ask(Asking<T> asking) throws SQLException {
    long ticket = deletions.enter();
    try (Reader reader = new Reader(database)) {
      return asking.ask(new View(reader, files), new Resolver(series, details, reader));
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
      contents.checkpoint(); // what is only in the log is in memory too
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
      List<String> found = new Damage(database, contents, files).setAside();
      notices.addAll(found);
      return !found.isEmpty();
    } catch (SQLException | IOException e) {
      return false;
    }
  }

  @Override
  public Optional<TimeRange> span() {
    return answer((view, resolver) -> view.span());
  }

  @Override
  public List<ProfileType> types(TimeRange range) {
    return answer((view, resolver) -> new LabelAnswers(view, resolver).types(range));
  }

  @Override
  public SortedSet<String> labelNames(Selector selector, TimeRange range) {
    return answer((view, resolver) -> new LabelAnswers(view, resolver).names(selector, range));
  }

  @Override
  public SortedSet<String> labelValues(String name, Selector selector, TimeRange range) {
    return answer(
        (view, resolver) -> new LabelAnswers(view, resolver).values(name, selector, range));
  }

  @Override
  public List<Labels> series(List<Selector> anyOf, List<String> names, TimeRange range) {
    return answer((view, resolver) -> new LabelAnswers(view, resolver).series(anyOf, names, range));
  }

  @Override
  public List<Series> timeline(
      Selection selection, List<String> groupBy, long stepNanos, int limit) {
    return answer(
        (view, resolver) ->
            new TimelineAnswers(view, resolver).timeline(selection, groupBy, stepNanos, limit));
  }

  @Override
  public Profile merged(Selection selection) {
    return answer(
        (view, resolver) -> new SumAnswers(view, resolver, stacks).merged(selection, true));
  }

  @Override
  public Profile functions(Selection selection) {
    return answer(
        (view, resolver) -> new SumAnswers(view, resolver, stacks).merged(selection, false));
  }

  @Override
  public Recording samples(Selection selection, long limit) {
    return answer(
        (view, resolver) ->
            new SampleAnswers(view, resolver, stacks).samples(selection, limit, true));
  }

  @Override
  public Recording lanes(Selection selection, long limit) {
    return answer(
        (view, resolver) ->
            new SampleAnswers(view, resolver, stacks).samples(selection, limit, false));
  }

  @Override
  public Heatmap heatmap(Selection selection, int columns, int rows) {
    return answer(
        (view, resolver) ->
            new SumAnswers(view, resolver, stacks).heatmap(selection, columns, rows));
  }

  @Override
  public List<ProcessSummary> processes(Selection selection, int limit) {
    return answer(
        (view, resolver) -> new SampleAnswers(view, resolver, stacks).processes(selection, limit));
  }

  @Override
  public Quality quality(ProfileType type, TimeRange range) {
    return answer(
        (view, resolver) -> new SampleAnswers(view, resolver, stacks).quality(type, range));
  }

  /** Writes what waits. A store that cannot be written any more is closed all the same. */
  @Override
  public void close() {
    upkeep.ifPresent(Upkeep::close);
    try {
      contents.flush();
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
      Opening.closed(folder);
    } catch (IOException e) {
      // The next run will say that this one was not closed.
    }
  }
}
