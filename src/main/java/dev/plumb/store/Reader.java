package dev.plumb.store;

import java.sql.SQLException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;

/**
 * One question's view of the database: all that it reads is of one moment. It ends when its time is
 * over or its thread is interrupted.
 */
final class Reader implements AutoCloseable {
  /** Takes what a query answers, some rows at a time. */
  @FunctionalInterface
  interface Chunks {
    void take(DuckDBDataChunkReader chunk) throws SQLException;
  }

  private static final long LOOK_MILLIS = 50;
  private static final ScheduledThreadPoolExecutor WATCH = watch();

  private final Database database;
  private final DuckDBConnection connection;
  private final long deadline;
  private boolean usable;

  Reader(Database database, long limitNanos) throws SQLException {
    this.database = database;
    this.deadline = System.nanoTime() + limitNanos;
    this.connection = database.borrow();
    connection.setAutoCommit(false);
    usable = true;
  }

  private static ScheduledThreadPoolExecutor watch() {
    ScheduledThreadPoolExecutor pool =
        new ScheduledThreadPoolExecutor(
            1, work -> Thread.ofPlatform().daemon().name("plumb-store-watch").unstarted(work));
    pool.setRemoveOnCancelPolicy(true);
    return pool;
  }

  void query(String sql, Chunks chunks) throws SQLException {
    usable = false;
    try (DuckDBPreparedStatement statement = connection.prepare(sql)) {
      Thread asking = Thread.currentThread();
      ScheduledFuture<?> watching =
          WATCH.scheduleAtFixedRate(
              () -> cancelIfOver(statement, asking),
              LOOK_MILLIS,
              LOOK_MILLIS,
              TimeUnit.MILLISECONDS);
      try (DuckDBChunkedResult result = statement.query()) {
        while (result.nextChunk()) {
          DuckDBDataChunkReader chunk = result.chunk();
          chunks.take(chunk);
          if (isOver(asking)) {
            throw new SQLException("INTERRUPT");
          }
        }
      } finally {
        watching.cancel(false);
      }
    } catch (SQLException e) {
      if (isOver(Thread.currentThread())) {
        throw tooLong(e);
      }
      throw e;
    }
    usable = true;
  }

  private StoreException tooLong(SQLException e) {
    return new StoreException(
        Thread.currentThread().isInterrupted()
            ? "the question was withdrawn"
            : "this takes too long; ask for a shorter time range or for fewer series",
        e);
  }

  private void cancelIfOver(DuckDBPreparedStatement statement, Thread asking) {
    if (isOver(asking)) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        // It has ended by itself.
      }
    }
  }

  private boolean isOver(Thread asking) {
    return asking.isInterrupted() || System.nanoTime() - deadline > 0;
  }

  /** One number; 0 if there is none. */
  long number(String sql) throws SQLException {
    long[] number = new long[1];
    query(
        sql,
        chunk -> {
          if (chunk.rowCount() > 0 && !chunk.vector(0).isNull(0)) {
            number[0] = chunk.vector(0).getLong(0);
          }
        });
    return number[0];
  }

  @Override
  public void close() {
    try {
      if (usable) {
        connection.rollback();
      }
      database.giveBack(connection, usable);
    } catch (SQLException e) {
      // Nothing was written on it.
    }
  }
}
