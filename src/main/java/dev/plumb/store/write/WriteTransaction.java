package dev.plumb.store.write;

import dev.plumb.profile.Frame;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.SqlText;
import dev.plumb.store.database.StoreSchema;
import dev.plumb.store.dictionary.DetailTable;
import dev.plumb.store.dictionary.Measure;
import dev.plumb.store.dictionary.SeriesTable;
import dev.plumb.store.dictionary.StackDictionary;
import dev.plumb.store.dictionary.StackTree;
import dev.plumb.store.write.PendingRows.QualityNote;
import dev.plumb.store.write.SampleBuffer.Who;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** Writes pending rows, and all that they refer to, in one transaction. */
final class WriteTransaction {
  private final SeriesTable series;
  private final DetailTable details;

  WriteTransaction(SeriesTable series, DetailTable details) {
    this.series = series;
    this.details = details;
  }

  void write(Database database, List<PendingRows> parts, StackDictionary stacks, int hotTable)
      throws SQLException {
    List<Measure> measures = series.measures();
    List<SeriesTable.Entry> newSeries = series.seriesToStore();
    List<DetailTable.Entry> newDetails = details.toStore();
    StackTree tree = stacks.tree();
    int frames = stacks.frameCount();
    database.transaction(
        connection -> {
          writeMeasures(connection, measures);
          writeSeries(connection, newSeries);
          writeDetails(connection, newDetails);
          writeFrames(connection, tree, stacks.storedFrames(), frames);
          writeStacks(connection, tree, stacks.storedStacks());
          for (PendingRows part : parts) {
            writeSamples(connection, part.samples(), hotTable);
            writeNotes(connection, part.notes());
            writeMarks(connection, part.marks());
          }
          return true;
        });
    series.stored(measures.size(), newSeries.size());
    details.stored(newDetails.size());
    stacks.stored(tree.stacks(), frames);
  }

  private void writeMeasures(DuckDBConnection connection, List<Measure> measures)
      throws SQLException {
    if (series.measuresToStore() == measures.size()) {
      return;
    }
    try (DuckDBAppender to = Database.appender(connection, "measures")) {
      for (int id = series.measuresToStore(); id < measures.size(); id++) {
        Measure measure = measures.get(id);
        to.beginRow()
            .append(id)
            .append(measure.mode())
            .append(measure.type().id())
            .append(measure.countType().map(ProfileType::id).orElse(""))
            .append(measure.period())
            .endRow();
      }
    }
  }

  private static void writeSeries(DuckDBConnection connection, List<SeriesTable.Entry> entries)
      throws SQLException {
    if (entries.isEmpty()) {
      return;
    }
    try (DuckDBAppender to = Database.appender(connection, "all_series")) {
      for (SeriesTable.Entry entry : entries) {
        to.beginRow().append(entry.id()).append(entry.measure()).endRow();
      }
    }
    try (DuckDBAppender to = Database.appender(connection, "series_labels")) {
      for (SeriesTable.Entry entry : entries) {
        for (Map.Entry<String, String> label : entry.labels().values().entrySet()) {
          to.beginRow().append(entry.id()).append(label.getKey()).append(label.getValue()).endRow();
        }
      }
    }
  }

  private static void writeDetails(DuckDBConnection connection, List<DetailTable.Entry> entries)
      throws SQLException {
    if (entries.isEmpty()) {
      return;
    }
    try (DuckDBAppender to = Database.appender(connection, "details")) {
      for (DetailTable.Entry entry : entries) {
        for (Map.Entry<String, String> label : entry.labels().values().entrySet()) {
          to.beginRow().append(entry.id()).append(label.getKey()).append(label.getValue()).endRow();
        }
      }
    }
  }

  private static void writeFrames(DuckDBConnection connection, StackTree tree, int from, int to)
      throws SQLException {
    if (from == to) {
      return;
    }
    try (DuckDBAppender rows = Database.appender(connection, "all_frames")) {
      for (int id = from; id < to; id++) {
        Frame frame = tree.frames()[id];
        rows.beginRow()
            .append(tree.frameBase() + id)
            .append(frame.name())
            .append((byte) frame.kind().ordinal())
            .append(frame.inlined())
            .append(frame.named())
            .append(frame.module())
            .append(frame.buildId())
            .append(frame.elfAddress())
            .append(frame.offset())
            .append(frame.file())
            .append(frame.line())
            .endRow();
      }
    }
  }

  private static void writeStacks(DuckDBConnection connection, StackTree tree, int from)
      throws SQLException {
    if (from == tree.stacks()) {
      return;
    }
    try (DuckDBAppender rows = Database.appender(connection, "all_stacks")) {
      for (int id = from; id < tree.stacks(); id++) {
        rows.beginRow()
            .append(tree.stackBase() + id)
            .append(tree.stackBase() + tree.callers()[id])
            .append(tree.leaves()[id] < 0 ? -1 : tree.frameBase() + tree.leaves()[id])
            .append(tree.flags()[id])
            .endRow();
      }
    }
  }

  private static void writeSamples(DuckDBConnection connection, SampleBuffer samples, int hotTable)
      throws SQLException {
    if (samples.size() == 0) {
      return;
    }
    try (DuckDBAppender rows = Database.appender(connection, StoreSchema.hotName(hotTable))) {
      for (int row = 0; row < samples.size(); row++) {
        Who who = samples.whoOf(row);
        rows.beginRow()
            .append(samples.micros(row))
            .append(who.series())
            .append(who.pid())
            .append(who.tid())
            .append(who.startNanos())
            .append(who.thread())
            .append(who.detail())
            .append(samples.stack(row))
            .append(samples.cpu(row))
            .append(samples.value(row))
            .append(samples.count(row))
            .endRow();
      }
    }
  }

  private static void writeMarks(DuckDBConnection connection, Map<String, Long> marks)
      throws SQLException {
    for (Map.Entry<String, Long> mark : marks.entrySet()) {
      String source = SqlText.quoted(mark.getKey());
      Database.execute(connection, "DELETE FROM spool_marks WHERE source = " + source);
      Database.execute(
          connection, "INSERT INTO spool_marks VALUES (%s, %d)".formatted(source, mark.getValue()));
    }
  }

  private static void writeNotes(DuckDBConnection connection, List<QualityNote> notes)
      throws SQLException {
    if (notes.isEmpty()) {
      return;
    }
    try (DuckDBAppender rows = Database.appender(connection, "recording_quality")) {
      for (QualityNote note : notes) {
        Quality quality = note.quality();
        number(rows, note, "samples", "", quality.samples());
        number(rows, note, "asked", "", quality.rateAsked());
        number(rows, note, "held", "", quality.rateHeld());
        counts(rows, note, "lost", quality.lost());
        counts(rows, note, "truncated", quality.truncated());
        counts(rows, note, "unnamed", quality.unnamed());
      }
    }
  }

  private static void counts(
      DuckDBAppender rows, QualityNote note, String what, Map<String, Long> counts)
      throws SQLException {
    for (Map.Entry<String, Long> entry : counts.entrySet()) {
      number(rows, note, what, entry.getKey(), entry.getValue());
    }
  }

  private static void number(
      DuckDBAppender rows, QualityNote note, String what, String reason, double n)
      throws SQLException {
    rows.beginRow()
        .append(note.micros())
        .append(note.mode())
        .append(what)
        .append(reason)
        .append(n)
        .endRow();
  }
}
