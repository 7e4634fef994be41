package dev.plumb.store;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBDataChunkReader;

/** Reads a whole dictionary of stacks from the database. */
final class StackReader {
  private static final FrameKind[] KINDS = FrameKind.values();

  private StackReader() {}

  /** The bases of all dictionaries, the oldest first, and where the last one ends. */
  static List<int[]> bases(Reader reader) throws SQLException {
    List<int[]> bases = new ArrayList<>();
    reader.query(
        "SELECT stack_base, frame_base FROM dictionaries ORDER BY stack_base",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            bases.add(new int[] {chunk.vector(0).getInt(row), chunk.vector(1).getInt(row)});
          }
        });
    return bases;
  }

  /** What lies from these bases up to the next one's. */
  static StackDictionary read(Reader reader, int[] base, int[] next) throws SQLException {
    StackDictionary dictionary = new StackDictionary(base[0], base[1]);
    reader.query(
        "SELECT name, kind, inlined, named, module, build_id, address, byte_offset, file, line"
            + " FROM all_frames WHERE id >= "
            + base[1]
            + " AND id < "
            + next[1]
            + " ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            dictionary.restoreFrame(frame(chunk, row));
          }
        });
    reader.query(
        "SELECT caller, frame FROM all_stacks WHERE id >= "
            + (base[0] + StackDictionary.ENDS)
            + " AND id < "
            + next[0]
            + " ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            dictionary.restoreStack(
                chunk.vector(0).getInt(row) - base[0], chunk.vector(1).getInt(row) - base[1]);
          }
        });
    return dictionary;
  }

  private static Frame frame(DuckDBDataChunkReader chunk, long row) {
    return new Frame(
        chunk.vector(0).getString(row),
        KINDS[chunk.vector(1).getByte(row)],
        chunk.vector(2).getBoolean(row),
        chunk.vector(3).getBoolean(row),
        chunk.vector(4).getString(row),
        chunk.vector(5).getString(row),
        chunk.vector(6).getLong(row),
        chunk.vector(7).getLong(row),
        chunk.vector(8).getString(row),
        chunk.vector(9).getInt(row));
  }
}
