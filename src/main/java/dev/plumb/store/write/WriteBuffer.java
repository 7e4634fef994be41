package dev.plumb.store.write;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.store.SpoolMark;
import dev.plumb.store.StoreException;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.database.StoreLimits;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionaries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBConnection;

/**
 * All writing goes through here. Rows wait in memory for at most a second, then go to the current
 * table of samples; full tables become segments. One lock guards all of it; a query takes it only
 * to have pending rows written.
 *
 * <p>A caller that wants its rows committed waits for the transaction that writes them. That
 * transaction takes all rows that came while the previous one was written, so callers share its
 * cost.
 */
public final class WriteBuffer {
  /** The most rows that wait in memory. */
  private static final int MAX_WAITING_ROWS = 50_000;

  /**
   * The most rows that are only in DuckDB's log while a segment is sorted: they occupy memory that
   * sorting needs, and a table that runs out of it while it is appended to is corrupt.
   */
  private static final int MAX_LOGGED_ROWS = 200_000;

  /** How long rows wait for others to share their transaction, in nanoseconds. */
  private static final long LONGEST_WAIT = 100_000_000;

  /** With more full tables that are not segments yet, adding has to wait. */
  private static final int MAX_FULL_TABLES = 2;

  private final Database database;
  private final StoreLimits limits;
  private final SeriesTable series;
  private final DetailTable details;
  private final StackDictionaries stacks;
  private final RowMaker intake;
  private final WriteTransaction writer;

  /** Rows for which no caller waits: if writing them fails, it is tried again. */
  private final PendingRows unhurried = new PendingRows();

  /** Rows for which callers wait: if writing them fails, callers are told and rows are dropped. */
  private final PendingRows awaited = new PendingRows();

  private final Map<String, Long> marks = new ConcurrentHashMap<>();

  /** The number of callers that wait for the lock to add rows and have them committed. */
  private final AtomicInteger coming = new AtomicInteger();

  /** Fair: otherwise a caller that has just finished would enter again before those who wait. */
  private final ReentrantLock door = new ReentrantLock(true);

  private final ReentrantLock lock = new ReentrantLock();

  private final Condition committed = lock.newCondition();
  private final Condition fewerTables = lock.newCondition();
  private final List<Integer> fullTables = new ArrayList<>();
  private int hotTable;
  private long hotRows;
  private long hotSince = System.nanoTime();
  private volatile boolean waiting;

  /** Rows added since the last explicit checkpoint. */
  private long loggedRows;

  private Optional<StoreException> failure = Optional.empty();
  private Commit commit = new Commit();

  /** The outcome of a transaction that several callers wait for; guarded by the lock. */
  private static final class Commit {
    private boolean ended;
    private Optional<StoreException> failure = Optional.empty();
  }

  public WriteBuffer(
      Database database,
      StoreLimits limits,
      SeriesTable series,
      DetailTable details,
      StackDictionaries stacks) {
    this.database = database;
    this.limits = limits;
    this.series = series;
    this.details = details;
    this.stacks = stacks;
    this.intake = new RowMaker(series, details);
    this.writer = new WriteTransaction(series, details);
  }

  /** Continues what an earlier run left; the last table is the current one. */
  public void restore(List<Integer> hotTables, long rows, Map<String, Long> spoolMarks) {
    marks.putAll(spoolMarks);
    hotTable = hotTables.getLast();
    fullTables.addAll(hotTables.subList(0, hotTables.size() - 1));
    hotRows = rows;
  }

  public void add(Recording recording, Labels labels) {
    lock.lock();
    try {
      awaitFewerTables();
      take(recording, labels, unhurried);
      if (unhurried.samples().size() >= MAX_WAITING_ROWS || failure.isPresent()) {
        flush();
      }
      if (hotRows >= limits.tableRows() || isDictionaryLarge()) {
        startTable();
      }
    } catch (SQLException e) {
      throw DatabaseFailure.writing(e);
    } finally {
      lock.unlock();
    }
  }

  /** Takes all rows of a recording or none. */
  private void take(Recording recording, Labels labels, PendingRows into) {
    PendingRows.Size before = into.size();
    boolean done = false;
    try {
      intake.take(recording, labels, stacks.current(), into.samples());
      into.note(recording);
      waiting = true;
      done = true;
    } finally {
      if (!done) {
        into.cutTo(before);
      }
    }
  }

  /** Returns when the rows are committed; false if the mark was committed before. */
  public boolean addCommitted(Recording recording, Labels labels, Optional<SpoolMark> mark) {
    coming.incrementAndGet();
    door.lock();
    lock.lock();
    door.unlock();
    try {
      coming.decrementAndGet();
      awaitFewerTables();
      if (mark.isPresent() && awaited.marks().containsKey(mark.get().source())) {
        flush(); // this recording counts only if that one is not committed
      }
      if (mark.isPresent() && mark.get().number() <= lastAdded(mark.get().source()).orElse(-1)) {
        return false;
      }
      take(recording, labels, awaited);
      mark.ifPresent(m -> awaited.marks().put(m.source(), m.number()));
      awaitCommit();
      startTableIfDue();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The last caller commits for all; a steady stream of callers delays that only briefly. */
  private void awaitCommit() {
    Commit mine = commit;
    if (coming.get() == 0 || awaited.samples().size() >= MAX_WAITING_ROWS) {
      flush();
    }
    try {
      while (!mine.ended) {
        if (committed.awaitNanos(LONGEST_WAIT) <= 0 && !mine.ended) {
          flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!mine.ended) {
        flush();
      }
    }
    if (mine.failure.isPresent()) {
      throw mine.failure.get();
    }
  }

  public OptionalLong lastAdded(String source) {
    Long number = marks.get(source);
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  /** The rows are committed, so a failure to begin a table is not the caller's problem. */
  private void startTableIfDue() {
    try {
      if (hotRows >= limits.tableRows() || isDictionaryLarge()) {
        startTable();
      }
    } catch (SQLException | StoreException e) {
      // The next caller tries again.
    }
  }

  private boolean isDictionaryLarge() {
    return stacks.current().isLarge(limits) || details.isLarge(limits);
  }

  private void awaitFewerTables() {
    try {
      long left = TimeUnit.SECONDS.toNanos(30);
      while (fullTables.size() > MAX_FULL_TABLES && left > 0) {
        left = fewerTables.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes all pending rows; if that fails, those that nobody awaits stay, as long as they fit. */
  public void flush() {
    lock.lock();
    try {
      if (!waiting) {
        return;
      }
      long rows = unhurried.samples().size() + awaited.samples().size();
      if (loggedRows + rows > MAX_LOGGED_ROWS && database.isSorting()) {
        database.betweenSegments(this::checkpoint);
      }
      writer.write(database, List.of(unhurried, awaited), stacks.current(), hotTable);
      hotRows += rows;
      loggedRows += rows;
      marks.putAll(awaited.marks());
      unhurried.clear();
      waiting = false;
      failure = Optional.empty();
      endCommit();
    } catch (SQLException e) {
      failure = Optional.of(DatabaseFailure.writing(e));
      if (unhurried.samples().size() >= MAX_WAITING_ROWS) {
        unhurried.clear();
      }
      endCommit();
      waiting = !unhurried.isEmpty();
      database.reopenIfDead(e);
      throw failure.orElseThrow();
    } finally {
      lock.unlock();
    }
  }

  private void endCommit() {
    commit.ended = true;
    commit.failure = failure;
    commit = new Commit();
    awaited.clear();
    committed.signalAll();
  }

  /** For queries: writes what was added before, if that is possible. */
  public void flushForReader() {
    if (!waiting) {
      return;
    }
    boolean locked = false;
    try {
      locked = lock.tryLock(2, TimeUnit.SECONDS);
      if (locked) {
        flush();
      }
    } catch (StoreException e) {
      // Adding reports it; the tables can be read all the same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (locked) {
        lock.unlock();
      }
    }
  }

  /** Whether the current table should become a segment. */
  public boolean isTableDue() {
    lock.lock();
    try {
      long age = System.nanoTime() - hotSince;
      return hotRows >= limits.tableRows()
          || age > TimeUnit.HOURS.toNanos(1) && hotRows > limits.tableRows() / 10
          || age > TimeUnit.HOURS.toNanos(24) && hotRows > 0;
    } finally {
      lock.unlock();
    }
  }

  /** Begins another table, and another dictionary if the current one is large. */
  public void startTable() throws SQLException {
    lock.lock();
    try {
      flush();
      boolean newDictionary = isDictionaryLarge();
      if (hotRows == 0 && !newDictionary) {
        return;
      }
      int[] base = newDictionary ? stacks.nextBases() : null;
      int stackBase = newDictionary ? base[0] : stacks.current().stackBase();
      int table = hotTable + 1;
      database.transaction(
          connection -> {
            if (newDictionary) {
              Database.execute(
                  connection,
                  "INSERT INTO dictionaries VALUES (%d, %d, %d)"
                      .formatted(base[0], base[1], details.nextId()));
            }
            Database.execute(connection, StoreSchema.hotTable(table));
            Database.execute(
                connection, "INSERT INTO hot_tables VALUES (%d, %d)".formatted(table, stackBase));
            return true;
          });
      if (newDictionary) {
        stacks.next();
        details.forget();
      }
      fullTables.add(hotTable);
      hotTable = table;
      hotRows = 0;
      hotSince = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  /** Tables that are about to become segments, the oldest first. */
  public List<Integer> fullTables() {
    lock.lock();
    try {
      return List.copyOf(fullTables);
    } finally {
      lock.unlock();
    }
  }

  /** Runs a transaction; {@code goneTable} is a full table that it dropped. */
  public void change(Database.Work<Boolean> work, Optional<Integer> goneTable) throws SQLException {
    lock.lock();
    try {
      database.transaction(work);
      goneTable.ifPresent(fullTables::remove);
      fewerTables.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Deletes what nothing refers to any more. */
  public void prune() throws SQLException {
    lock.lock();
    try {
      flush();
      Pruning.Left left = database.transaction(Pruning::run);
      series.retain(left.series()::get);
    } finally {
      lock.unlock();
    }
  }

  /** Moves the log into the database's file, where freed space is reused. */
  public void checkpoint() {
    lock.lock();
    try {
      DuckDBConnection connection = database.writer();
      Database.execute(connection, "CHECKPOINT");
      loggedRows = 0;
    } catch (SQLException e) {
      // A query is reading; DuckDB does it later by itself.
    } finally {
      lock.unlock();
    }
  }

  public List<Integer> allTables() {
    lock.lock();
    try {
      List<Integer> all = new ArrayList<>(fullTables);
      all.add(hotTable);
      return all;
    } finally {
      lock.unlock();
    }
  }
}
