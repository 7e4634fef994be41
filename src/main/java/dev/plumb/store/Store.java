package dev.plumb.store;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/** Profiles over time: takes recordings, answers questions, keeps within its disk. */
public final class Store implements Sink, History, AutoCloseable {
  static final Duration QUESTION_LIMIT = Duration.ofSeconds(30);
  private static final String FILE = "plumb.duckdb";

  /** A question, as it is asked. */
  @FunctionalInterface
  private interface Asking<T> {
    T ask(View view, Resolver resolver) throws SQLException;
  }

  private final Database database;
  private final SeriesTable series = new SeriesTable();
  private final Details details = new Details();
  private final Stacks stacks;
  private final Intake intake = new Intake(series, details);
  private final Writer writer = new Writer(series, details);
  private final SampleBuffer buffer = new SampleBuffer();
  private int hotTable;

  private Store(Database database) throws SQLException {
    this.database = database;
    DuckDBConnection connection = database.writer();
    if (Database.number(
            connection, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'meta'")
        == 0) {
      database.transaction(
          c -> {
            for (String sql : Schema.TABLES) {
              Database.execute(c, sql);
            }
            return true;
          });
    }
    try (Reader reader = new Reader(database, QUESTION_LIMIT.toNanos())) {
      this.stacks = Stacks.read(reader);
    }
    restore(connection);
  }

  /** Opens the store in a folder, or makes one. */
  public static Store open(StoreOptions options) {
    try {
      Files.createDirectories(options.folder());
      Path temp = options.folder().resolve("temp");
      return new Store(Database.open(options.folder().resolve(FILE).toString(), temp, options));
    } catch (IOException | SQLException e) {
      throw new StoreException(
          "cannot open the store in " + options.folder() + ": " + e.getMessage(), e);
    }
  }

  private void restore(DuckDBConnection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      int measures = 0;
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT mode, type, count_type, period FROM measures ORDER BY id")) {
        while (rows.next()) {
          String count = rows.getString(3);
          series.measure(
              new Measure(
                  rows.getString(1),
                  ProfileType.parse(rows.getString(2)),
                  count.isEmpty() ? Optional.empty() : Optional.of(ProfileType.parse(count)),
                  rows.getLong(4)));
          measures++;
        }
      }
      int count = 0;
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT s.id, s.measure, l.name, l.value FROM series s"
                  + " LEFT JOIN series_labels l ON l.series = s.id ORDER BY s.id")) {
        int id = -1;
        int measure = 0;
        Map<String, String> labels = new TreeMap<>();
        while (rows.next()) {
          if (id >= 0 && rows.getInt(1) != id) {
            series.restore(new SeriesTable.Entry(id, measure, new Labels(new TreeMap<>(labels))));
            labels.clear();
            count++;
          }
          id = rows.getInt(1);
          measure = rows.getInt(2);
          if (rows.getString(3) != null) {
            labels.put(rows.getString(3), rows.getString(4));
          }
        }
        if (id >= 0) {
          series.restore(new SeriesTable.Entry(id, measure, new Labels(new TreeMap<>(labels))));
          count++;
        }
      }
      series.stored(measures, count);
      try (ResultSet rows = statement.executeQuery("SELECT DISTINCT name FROM details")) {
        while (rows.next()) {
          details.restoreName(rows.getString(1));
        }
      }
    }
    details.startAt((int) Database.number(connection, "SELECT max(id) FROM details") + 1);
    hotTable = (int) Database.number(connection, "SELECT max(id) FROM hot_tables");
  }

  @Override
  public synchronized void add(Recording recording, Labels labels) {
    try {
      intake.take(recording, labels, stacks.current(), buffer);
      writer.note(recording);
      writer.write(database, buffer, stacks.current(), hotTable);
    } catch (SQLException e) {
      writer.forgetNotes();
      throw new StoreException("the store could not be written: " + e.getMessage(), e);
    } finally {
      buffer.clear();
    }
  }

  private <T> T answer(Asking<T> asking) {
    try (Reader reader = new Reader(database, QUESTION_LIMIT.toNanos())) {
      return asking.ask(new View(reader), new Resolver(series, details, reader));
    } catch (SQLException e) {
      throw new StoreException("the store could not be read: " + e.getMessage(), e);
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
            new SumAnswers(view, resolver, stacks).timeline(selection, groupBy, stepNanos, limit));
  }

  @Override
  public Profile merged(Selection selection) {
    return answer((view, resolver) -> new SumAnswers(view, resolver, stacks).merged(selection));
  }

  @Override
  public Recording samples(Selection selection, long limit) {
    return answer(
        (view, resolver) -> new SampleAnswers(view, resolver, stacks).samples(selection, limit));
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

  @Override
  public synchronized void close() {
    try {
      database.close();
    } catch (SQLException e) {
      throw new StoreException("the store could not be closed: " + e.getMessage(), e);
    }
  }
}
