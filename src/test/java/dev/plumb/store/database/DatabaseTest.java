package dev.plumb.store.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;

class DatabaseTest {
  private static final int ROWS = 300_000;

  /** Including appended rows, which DuckDB takes in batches. */
  @Test
  void aTransactionThatFailsLeavesNothing() throws SQLException {
    try (Database database = Database.inMemory(64 << 20)) {
      Database.execute(database.writer(), "CREATE TABLE numbers(number INTEGER)");
      assertThatThrownBy(
              () ->
                  database.transaction(
                      connection -> {
                        append(connection);
                        throw new SQLException("no more");
                      }))
          .hasMessage("no more");
      assertThat(rows(database)).isZero();
      database.transaction(
          connection -> {
            append(connection);
            return true;
          });
      assertThat(rows(database)).isEqualTo(ROWS);
    }
  }

  private static void append(DuckDBConnection connection) throws SQLException {
    try (DuckDBAppender to = Database.appender(connection, "numbers")) {
      for (int i = 0; i < ROWS; i++) {
        to.beginRow().append(i).endRow();
      }
    }
  }

  private static long rows(Database database) throws SQLException {
    return Database.number(database.writer(), "SELECT count(*) FROM numbers");
  }
}
