package dev.plumb.store.engine;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.DatabaseFailure;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.query.SelectorResolver;
import dev.plumb.store.query.StoreSnapshot;
import dev.plumb.store.segment.DeferredDeletions;
import dev.plumb.store.segment.SegmentFolder;
import dev.plumb.store.upkeep.DamagedFiles;
import dev.plumb.store.write.WriteBuffer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Runs queries side by side, each in a read transaction of its own; runs a query again where that
 * can help.
 */
final class QueryRunner {
  /** A query on the store as it is at one moment. */
  @FunctionalInterface
  interface Query<T> {
    T run(StoreSnapshot snapshot, SelectorResolver resolver) throws SQLException;
  }

  /** Makes the resolver of a query. */
  @FunctionalInterface
  interface Resolvers {
    SelectorResolver of(ReadTransaction reader);
  }

  private final Database database;
  private final WriteBuffer buffer;
  private final SegmentFolder files;
  private final DeferredDeletions deletions;
  private final Resolvers resolvers;
  private final List<String> notices;

  /** Fair: otherwise a query that must run alone would wait forever. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock(true);

  private final Lock beside = lock.readLock();
  private final Lock alone = lock.writeLock();

  /**
   * @param notices receives what was found damaged, for people
   */
  QueryRunner(
      Database database,
      WriteBuffer buffer,
      SegmentFolder files,
      DeferredDeletions deletions,
      Resolvers resolvers,
      List<String> notices) {
    this.database = database;
    this.buffer = buffer;
    this.files = files;
    this.deletions = deletions;
    this.resolvers = resolvers;
    this.notices = notices;
  }

  /** Runs a query, which sees all that was added before. */
  <T> T run(Query<T> query) {
    buffer.flushForReader();
    try {
      return QueryThreads.run(() -> runTwice(query));
    } catch (SQLException e) {
      throw DatabaseFailure.reading(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Runs a query again if it met damaged files, which are then set aside; and again, with no other
   * query beside it, if DuckDB ran out of memory.
   */
  private <T> T runTwice(Query<T> query) throws SQLException {
    SQLException failure;
    beside.lock();
    try {
      return runOnce(query);
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
      return runOnce(query);
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

  private <T> T runOnce(Query<T> query) throws SQLException {
    long ticket = deletions.enter();
    try (ReadTransaction reader = new ReadTransaction(database)) {
      return query.run(new StoreSnapshot(reader, files), resolvers.of(reader));
    } finally {
      deletions.leave(ticket);
    }
  }

  /** Whether files were damaged, which are now out of the way. */
  private boolean setDamagedAside() {
    try {
      List<String> found = new DamagedFiles(database, buffer, files).setAside();
      notices.addAll(found);
      return !found.isEmpty();
    } catch (SQLException | IOException e) {
      return false;
    }
  }

  /**
   * Gives back the memory in which the database keeps what it has read and written. Not while a
   * query runs: it would find no memory meanwhile.
   */
  void giveBackMemory() {
    if (!alone.tryLock()) {
      return;
    }
    try {
      buffer.checkpoint(); // what is only in the log is in memory too
      database.giveBackMemory();
    } catch (SQLException e) {
      // Then the database keeps it.
    } finally {
      alone.unlock();
    }
  }
}
