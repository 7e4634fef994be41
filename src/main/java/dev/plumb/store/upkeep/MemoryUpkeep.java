package dev.plumb.store.upkeep;

import dev.plumb.store.write.WriteBuffer;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Drops the oldest tables of a store in memory. */
public final class MemoryUpkeep implements UpkeepThreads.Work {
  /** The full tables to keep in addition to the current one. */
  private static final int FULL_TABLES = 2;

  private final WriteBuffer buffer;

  public MemoryUpkeep(WriteBuffer buffer) {
    this.buffer = buffer;
  }

  @Override
  public void run() throws SQLException {
    List<Integer> full = buffer.fullTables();
    for (int table : full.subList(0, Math.max(0, full.size() - FULL_TABLES))) {
      buffer.change(c -> DiskUpkeep.dropTable(c, table), Optional.of(table));
    }
    if (full.size() > FULL_TABLES) {
      buffer.prune();
    }
  }
}
