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
 * All that is written: rows wait in memory for at most a second, then go into the current table of
 * samples; full tables become segments. One lock guards all of it; questions need it only to have
 * waiting rows written.
 *
 * <p>Who wants its rows committed waits for the transaction that writes them. That transaction
 * takes all rows that came while the last one was written, so that many who wait share its cost.
 */
public final class WriteBuffer {
  /** Rows that may wait in memory. */
  private static final int MAX_WAITING_ROWS = 50_000;

  /**
   * Rows that may be only in DuckDB's log while a segment is sorted: those lie in the memory that
   * it shares with the sorting, and a table that finds none is of no use any more.
   */
  private static final int MAX_LOGGED_ROWS = 200_000;

  /** How long rows are held back so that more can share their transaction, in nanoseconds. */
  private static final long LONGEST_WAIT = 100_000_000;

  /** Full tables that may wait for becoming segments before whoever adds has to wait too. */
  private static final int MAX_FULL_TABLES = 2;

  private final Database database;
  private final StoreLimits limits;
  private final SeriesTable series;
  private final DetailTable details;
  private final StackDictionaries stacks;
  private final RowMaker intake;
  private final WriteTransaction writer;

  /** Nobody waits for these: if they cannot be written, they are tried again. */
  private final PendingRows unhurried = new PendingRows();

  /** Somebody waits for these: if they cannot be written, it is told and they are forgotten. */
  private final PendingRows awaited = new PendingRows();

  private final Map<String, Long> marks = new ConcurrentHashMap<>();

  /** Who waits for the lock to add rows that it wants committed. */
  private final AtomicInteger coming = new AtomicInteger();

  /** Fair: else whoever was just answered comes in again before those who wait. */
  private final ReentrantLock door = new ReentrantLock(true);

  private final ReentrantLock lock = new ReentrantLock();

  private final Condition committed = lock.newCondition();
  private final Condition fewerTables = lock.newCondition();
  private final List<Integer> fullTables = new ArrayList<>();
  private int hotTable;
  private long hotRows;
  private long hotSince = System.nanoTime();
  private volatile boolean waiting;

  /** Added since the log was emptied by hand. */
  private long loggedRows;

  private Optional<StoreException> failure = Optional.empty();
  private Commit commit = new Commit();

  /** What became of the rows that are awaited together; guarded by the lock. */
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

  /** Goes on with what an earlier run left; the last table is the current one. */
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

  /** Takes all of a recording or nothing. */
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
        flush(); // whether that one is committed decides about this one
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

  /**
   * Whoever is the last to come commits for all; a steady stream does not put that off for long.
   */
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

  /** These rows are committed: that the table cannot be begun is not their fault. */
  private void startTableIfDue() {
    try {
      if (hotRows >= limits.tableRows() || isDictionaryLarge()) {
        startTable();
      }
    } catch (SQLException | StoreException e) {
      // Whoever adds next tries it again.
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

  /** Writes what waits; if that fails, what nobody awaits waits on as long as there is room. */
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

  /** For questions: what was added before is in the tables afterwards, if it can be written. */
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
      // Whoever adds is told; what is in the tables can be read all the same.
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

  /** Ends the current table and begins another, with another dictionary if this one is large. */
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

  /** Tables that are to become segments, the oldest first. */
  public List<Integer> fullTables() {
    lock.lock();
    try {
      return List.copyOf(fullTables);
    } finally {
      lock.unlock();
    }
  }

  /** Changes tables, and forgets a full one if it is gone. */
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

  /** Drops what nothing refers to any more. */
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

  /** Moves what the log holds into the database's file, where freed space is used again. */
  public void checkpoint() {
    lock.lock();
    try {
      DuckDBConnection connection = database.writer();
      Database.execute(connection, "CHECKPOINT");
      loggedRows = 0;
    } catch (SQLException e) {
      // Somebody reads; DuckDB does it by itself later.
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
