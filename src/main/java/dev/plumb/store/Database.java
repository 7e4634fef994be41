package dev.plumb.store;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Properties;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** DuckDB: one connection that writes, as many that read as are asked for. */
final class Database implements AutoCloseable {
  /** Something that DuckDB does. */
  @FunctionalInterface
  interface Work<T> {
    T run(DuckDBConnection connection) throws SQLException;
  }

  private static final int IDLE_READERS = 8;

  private final DuckDBConnection writer;
  private final Deque<DuckDBConnection> idle = new ArrayDeque<>();
  private boolean closed;

  private Database(DuckDBConnection writer) {
    this.writer = writer;
  }

  /** Opens or makes a database; an empty path is one in memory. */
  static Database open(String path, Path tempFolder, StoreOptions options) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("memory_limit", (options.memoryBytes() >> 20) + "MB");
    settings.setProperty("threads", Integer.toString(threads()));
    settings.setProperty("temp_directory", tempFolder.toString());
    settings.setProperty("max_temp_directory_size", (options.diskBytes() / 20 >> 20) + "MB");
    settings.setProperty("preserve_insertion_order", "false");
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    return new Database(DuckDBConnection.newConnection("jdbc:duckdb:" + path, false, "", settings));
  }

  private static int threads() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 4);
  }

  DuckDBConnection writer() {
    return writer;
  }

  /** All or nothing; on the writing connection, whose only user the caller must be. */
  <T> T transaction(Work<T> work) throws SQLException {
    writer.setAutoCommit(false);
    boolean done = false;
    try {
      T result = work.run(writer);
      writer.commit();
      done = true;
      return result;
    } finally {
      if (!done) {
        rollBack();
      }
      writer.setAutoCommit(true);
    }
  }

  private void rollBack() {
    try {
      writer.rollback();
    } catch (SQLException e) {
      // The failure that led here says more.
    }
  }

  static void execute(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static long number(DuckDBConnection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? result.getLong(1) : 0;
    }
  }

  static DuckDBAppender appender(DuckDBConnection connection, String table) throws SQLException {
    return connection.createAppender(DuckDBConnection.DEFAULT_SCHEMA, table);
  }

  /** A connection for one reader, to be given back. */
  synchronized DuckDBConnection borrow() throws SQLException {
    if (closed) {
      throw new StoreException("the store is closed");
    }
    DuckDBConnection reader = idle.poll();
    return reader == null ? writer.duplicate() : reader;
  }

  void giveBack(DuckDBConnection reader, boolean usable) throws SQLException {
    synchronized (this) {
      if (usable && !closed && idle.size() < IDLE_READERS) {
        idle.push(reader);
        return;
      }
    }
    reader.close();
  }

  @Override
  public synchronized void close() throws SQLException {
    closed = true;
    for (DuckDBConnection reader : idle) {
      reader.close();
    }
    idle.clear();
    writer.close();
  }

  /** A text as SQL writes it; a zero would end it. */
  static String quoted(String text) {
    return "'" + text.replace("\0", "").replace("'", "''") + "'";
  }
}
