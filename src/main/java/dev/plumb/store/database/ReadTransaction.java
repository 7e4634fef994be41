package dev.plumb.store.database;

import dev.plumb.store.StoreException;
import dev.plumb.store.StoreException.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
public final class ReadTransaction implements AutoCloseable {
  /** Takes what a query answers, some rows at a time. */
  @FunctionalInterface
  public interface Chunks {
    void take(DuckDBDataChunkReader chunk) throws SQLException;
  }

  /** Takes all that a query answers. */
  @FunctionalInterface
  public interface Results {
    void take(ResultSet rows) throws SQLException;
  }

  @FunctionalInterface
  private interface Running {
    void run(DuckDBPreparedStatement statement) throws SQLException;
  }

  /** How long all that one question reads may take. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  private static final long LOOK_MILLIS = 50;
  private static final ScheduledThreadPoolExecutor WATCH = watch();

  private final Database database;
  private final DuckDBConnection connection;
  private final long deadline;
  private boolean usable;
  private boolean asking;

  public ReadTransaction(Database database) throws SQLException {
    this.database = database;
    this.deadline = System.nanoTime() + LIMIT.toNanos();
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

  public void query(String sql, Chunks chunks) throws SQLException {
    run(
        sql,
        statement -> {
          try (DuckDBChunkedResult result = statement.query()) {
            while (result.nextChunk()) {
              chunks.take(result.chunk());
              if (isOver(Thread.currentThread())) {
                throw new SQLException("INTERRUPT");
              }
            }
            if (isOver(Thread.currentThread())) {
              throw new SQLException("INTERRUPT"); // there may have been more
            }
          }
        });
  }

  /** The same for whoever does not know the columns. */
  public void results(String sql, Results results) throws SQLException {
    run(
        sql,
        statement -> {
          try (ResultSet rows = statement.executeQuery()) {
            results.take(rows);
          }
        });
  }

  /** Changes nothing that lasts. */
  public void execute(String sql) throws SQLException {
    run(sql, DuckDBPreparedStatement::execute);
  }

  private void run(String sql, Running running) throws SQLException {
    if (asking) {
      // DuckDB would end the query that is under way, without a word.
      throw new IllegalStateException("a question within a question");
    }
    usable = false;
    asking = true;
    try (DuckDBPreparedStatement statement = connection.prepare(sql)) {
      Thread thread = Thread.currentThread();
      ScheduledFuture<?> watching =
          WATCH.scheduleAtFixedRate(
              () -> cancelIfOver(statement, thread),
              LOOK_MILLIS,
              LOOK_MILLIS,
              TimeUnit.MILLISECONDS);
      try {
        running.run(statement);
      } finally {
        watching.cancel(false);
      }
    } catch (SQLException e) {
      if (isOver(Thread.currentThread())) {
        throw tooLong(e);
      }
      throw e;
    } finally {
      asking = false;
    }
    usable = true;
  }

  private StoreException tooLong(SQLException e) {
    return Thread.currentThread().isInterrupted()
        ? new StoreException("the question was withdrawn", e)
        : new StoreException(
            Reason.TOO_MUCH,
            "this takes too long; ask for a shorter time range or for fewer series",
            e);
  }

  private void cancelIfOver(DuckDBPreparedStatement statement, Thread thread) {
    if (isOver(thread)) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        // It has ended by itself.
      }
    }
  }

  private boolean isOver(Thread thread) {
    return thread.isInterrupted() || System.nanoTime() - deadline > 0;
  }

  /** One number; 0 if there is none. */
  public long number(String sql) throws SQLException {
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
