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
 * A transaction in which one query reads: all that it sees is of one moment. Fails when the query
 * has taken too long or its thread is interrupted.
 */
public final class ReadTransaction implements AutoCloseable {
  /** Receives a result, some rows at a time. */
  @FunctionalInterface
  public interface Chunks {
    void take(DuckDBDataChunkReader chunk) throws SQLException;
  }

  /** Receives a whole result. */
  @FunctionalInterface
  public interface Results {
    void take(ResultSet rows) throws SQLException;
  }

  @FunctionalInterface
  private interface Step {
    void run(DuckDBPreparedStatement statement) throws SQLException;
  }

  /** How long one query may take. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  private static final long LOOK_MILLIS = 50;
  private static final ScheduledThreadPoolExecutor WATCH = watch();

  private final Database database;
  private final DuckDBConnection connection;
  private final long deadline;
  private boolean usable;
  private boolean running;

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
              throw new SQLException("INTERRUPT"); // the result may be incomplete
            }
          }
        });
  }

  /** The same for a caller that does not know the columns. */
  public void results(String sql, Results results) throws SQLException {
    run(
        sql,
        statement -> {
          try (ResultSet rows = statement.executeQuery()) {
            results.take(rows);
          }
        });
  }

  /** Executes a statement; what it changes is rolled back. */
  public void execute(String sql) throws SQLException {
    run(sql, DuckDBPreparedStatement::execute);
  }

  private void run(String sql, Step step) throws SQLException {
    if (running) {
      // DuckDB would silently end the outer statement.
      throw new IllegalStateException("a statement within a statement");
    }
    usable = false;
    running = true;
    try (DuckDBPreparedStatement statement = connection.prepare(sql)) {
      Thread thread = Thread.currentThread();
      ScheduledFuture<?> watching =
          WATCH.scheduleAtFixedRate(
              () -> cancelIfOver(statement, thread),
              LOOK_MILLIS,
              LOOK_MILLIS,
              TimeUnit.MILLISECONDS);
      try {
        step.run(statement);
      } finally {
        watching.cancel(false);
      }
    } catch (SQLException e) {
      if (isOver(Thread.currentThread())) {
        throw tooLong(e);
      }
      throw e;
    } finally {
      running = false;
    }
    usable = true;
  }

  private StoreException tooLong(SQLException e) {
    return Thread.currentThread().isInterrupted()
        ? new StoreException("the query was cancelled", e)
        : new StoreException(
            Reason.TOO_MUCH,
            "this query takes too long; ask for a shorter time range or for fewer series",
            e);
  }

  private void cancelIfOver(DuckDBPreparedStatement statement, Thread thread) {
    if (isOver(thread)) {
      try {
        statement.cancel();
      } catch (SQLException e) {
        // The statement has already ended.
      }
    }
  }

  private boolean isOver(Thread thread) {
    return thread.isInterrupted() || System.nanoTime() - deadline > 0;
  }

  /** A query's single number; 0 if there is none. */
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
      // Nothing was to be kept.
    }
  }
}
