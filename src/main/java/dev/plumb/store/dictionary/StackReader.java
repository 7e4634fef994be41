package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBDataChunkReader;

/** Reads a whole dictionary of stacks from the database. */
final class StackReader {
  private static final FrameKind[] KINDS = FrameKind.values();

  private StackReader() {}

  /** The bases of all dictionaries, the oldest first. */
  static List<int[]> bases(ReadTransaction reader) throws SQLException {
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

  /** The dictionary from these bases up to the next one's. */
  static StackTree read(ReadTransaction reader, int[] base, int[] next) throws SQLException {
    Frame[] frames =
        new Frame
            [(int)
                reader.number(
                    "SELECT count(*) FROM all_frames WHERE id >= %d AND id < %d"
                        .formatted(base[1], next[1]))];
    frames(reader, base[1], next[1], (id, frame) -> frames[id - base[1]] = frame);
    String which = " FROM all_stacks WHERE id >= " + base[0] + " AND id < " + next[0];
    int count = (int) reader.number("SELECT count(*)" + which);
    int[] callers = new int[count];
    int[] leaves = new int[count];
    byte[] flags = new byte[count];
    int[] at = {0};
    reader.query(
        "SELECT caller, frame, flags" + which + " ORDER BY id",
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            int leaf = chunk.vector(1).getInt(row);
            callers[at[0]] = chunk.vector(0).getInt(row) - base[0];
            leaves[at[0]] = leaf < 0 ? leaf : leaf - base[1];
            flags[at[0]++] = chunk.vector(2).getByte(row);
          }
        });
    return new StackTree(base[0], count, base[1], callers, leaves, flags, frames);
  }

  /** Receives a frame and its number. */
  @FunctionalInterface
  interface Frames {
    void take(int id, Frame frame);
  }

  /** Hands over the frames with these numbers, in any order: sorting would take memory. */
  static void frames(ReadTransaction reader, int from, int to, Frames taker) throws SQLException {
    Map<String, String> texts = new HashMap<>();
    reader.query(
        "SELECT name, kind, inlined, named, module, build_id, address, byte_offset, file, line, id"
            + " FROM all_frames WHERE id >= "
            + from
            + " AND id < "
            + to,
        chunk -> {
          for (long row = 0; row < chunk.rowCount(); row++) {
            taker.take(chunk.vector(10).getInt(row), frame(chunk, row, texts));
          }
        });
  }

  /** Modules, build ids and files occur in many frames: each text is kept once. */
  private static String text(
      DuckDBDataChunkReader chunk, int column, long row, Map<String, String> texts) {
    String text = chunk.vector(column).getString(row);
    String known = texts.putIfAbsent(text, text);
    return known == null ? text : known;
  }

  private static Frame frame(DuckDBDataChunkReader chunk, long row, Map<String, String> texts) {
    return new Frame(
        chunk.vector(0).getString(row),
        KINDS[chunk.vector(1).getByte(row)],
        chunk.vector(2).getBoolean(row),
        chunk.vector(3).getBoolean(row),
        text(chunk, 4, row, texts),
        text(chunk, 5, row, texts),
        chunk.vector(6).getLong(row),
        chunk.vector(7).getLong(row),
        text(chunk, 8, row, texts),
        chunk.vector(9).getInt(row));
  }
}
