package dev.plumb.store.upkeep;

import dev.plumb.store.database.Database;
import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;

/**
 * Says what is too old to keep. Its clock follows the wall clock, but advances by at most a day per
 * hour: if somebody sets the wall clock to another year by mistake, there is time to correct it
 * before all history is deleted. When the store is opened again, the clock continues where it was.
 */
public final class Ageing {
  /** The clocks that it reads; tests pass their own. */
  public record Clocks(InstantSource wall, LongSupplier uptimeNanos) {
    public static final Clocks SYSTEM = new Clocks(InstantSource.system(), System::nanoTime);
  }

  private static final int FASTEST = 24;
  private static final long SAVE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Duration maxAge;
  private final Clocks clocks;
  private long believedMillis;
  private long believedAtNanos;
  private long savedMillis;

  public Ageing(Duration maxAge, Clocks clocks) {
    this.maxAge = maxAge;
    this.clocks = clocks;
    this.believedMillis = clocks.wall().millis();
    this.believedAtNanos = clocks.uptimeNanos().getAsLong();
  }

  /** Continues from the time that an earlier run believed. */
  public void restore(ReadTransaction reader) throws SQLException {
    savedMillis = reader.number("SELECT max(millis) FROM age_clock");
    if (savedMillis > 0) {
      believedMillis = Math.min(believedMillis, savedMillis);
    }
  }

  /** Segments that ended before this are too old. */
  long oldestMicros() {
    return (millis() - maxAge.toMillis()) * 1000;
  }

  private long millis() {
    long nanos = clocks.uptimeNanos().getAsLong();
    long passed = TimeUnit.NANOSECONDS.toMillis(nanos - believedAtNanos);
    if (passed > 0) {
      believedMillis += passed * FASTEST;
      believedAtNanos = nanos;
    }
    believedMillis = Math.min(believedMillis, clocks.wall().millis());
    return believedMillis;
  }

  boolean isSaveDue() {
    return Math.abs(millis() - savedMillis) >= SAVE_MILLIS;
  }

  boolean save(DuckDBConnection connection) throws SQLException {
    long millis = millis();
    Database.execute(connection, "DELETE FROM age_clock");
    Database.execute(connection, "INSERT INTO age_clock VALUES (" + millis + ")");
    savedMillis = millis;
    return true;
  }
}
