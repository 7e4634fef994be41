package dev.plumb.store.engine;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.store.database.ReadTransaction;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Loads the state that the store keeps in memory. */
final class StateLoader {
  private final ReadTransaction reader;

  StateLoader(ReadTransaction reader) {
    this.reader = reader;
  }

  void series(SeriesTable series) throws SQLException {
    reader.query(
        "SELECT mode, type, count_type, period FROM measures ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            String count = chunk.vector(2).getString(row);
            series.measure(
                new Measure(
                    chunk.vector(0).getString(row),
                    ProfileType.parse(chunk.vector(1).getString(row)),
                    count.isEmpty() ? Optional.empty() : Optional.of(ProfileType.parse(count)),
                    chunk.vector(3).getLong(row)));
          }
        });
    TreeMap<Integer, Integer> measures = new TreeMap<>();
    reader.query(
        "SELECT id, measure FROM all_series",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            measures.put(chunk.vector(0).getInt(row), chunk.vector(1).getInt(row));
          }
        });
    TreeMap<Integer, TreeMap<String, String>> labels = new TreeMap<>();
    reader.query(
        "SELECT series, name, value FROM series_labels",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            labels
                .computeIfAbsent(chunk.vector(0).getInt(row), id -> new TreeMap<>())
                .put(chunk.vector(1).getString(row), chunk.vector(2).getString(row));
          }
        });
    measures.forEach(
        (id, measure) ->
            series.restore(
                new SeriesTable.Entry(
                    id, measure, new Labels(labels.getOrDefault(id, new TreeMap<>())))));
    series.stored(series.measures().size(), measures.size());
  }

  void details(DetailTable details) throws SQLException {
    reader.query(
        "SELECT DISTINCT name FROM details",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            details.restoreName(chunk.vector(0).getString(row));
          }
        });
    details.startAt((int) reader.number("SELECT CAST(max(id) AS BIGINT) FROM details") + 1);
  }

  Map<String, Long> marks() throws SQLException {
    Map<String, Long> marks = new HashMap<>();
    reader.query(
        "SELECT source, number FROM spool_marks",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            marks.merge(chunk.vector(0).getString(row), chunk.vector(1).getLong(row), Math::max);
          }
        });
    return marks;
  }

  List<Integer> tables() throws SQLException {
    List<Integer> tables = new ArrayList<>();
    reader.query(
        "SELECT id FROM hot_tables ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            tables.add(chunk.vector(0).getInt(row));
          }
        });
    return tables;
  }

  long rows(int table) throws SQLException {
    return reader.number("SELECT count(*) FROM " + StoreSchema.hotName(table));
  }
}
