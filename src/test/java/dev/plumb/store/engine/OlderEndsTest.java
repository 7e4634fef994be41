package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Recording;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.database.Database;
import dev.plumb.store.dictionary.StackDictionary;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store whose writer knew fewer reasons for an incomplete stack. */
class OlderEndsTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final int OLD_ENDS = 9;
  private static final ProfileType WAITED = ProfileType.parse("off_cpu:time:nanoseconds::");

  @TempDir private Path folder;
  private final BruteForce truth = new BruteForce();
  private final RandomRecordings made = new RandomRecordings(5);

  @Test
  void isReadAndGoesOn() throws SQLException {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      add(store, 0);
    }
    makeOld();
    try (Store store = Store.open(StoreOptions.of(folder))) {
      assertThat(store.notices()).isEmpty();
      compare(store);
      add(store, 1);
      compare(store);
      store.settle();
      add(store, 2);
      compare(store);
    }
    try (Store store = Store.open(StoreOptions.of(folder))) {
      compare(store);
    }
  }

  private void add(Store store, int number) {
    try (Recording recording =
        made.recording(RandomRecordings.EPOCH + number * 10 * MINUTE, 10 * MINUTE, 200)) {
      store.add(recording, Labels.NONE);
      truth.add(recording, Labels.NONE);
    }
  }

  private void compare(Store store) {
    Selection all = Selection.of(WAITED, Selector.ALL, TimeRange.ALL);
    assertThat(BruteForce.merged(store.merged(all), 0)).isEqualTo(truth.merged(all));
  }

  /** Removes the empty stacks that version 3 did not have, and renumbers all others. */
  private void makeOld() throws SQLException {
    int fewer = StackDictionary.ENDS - OLD_ENDS;
    try (Connection connection =
            DriverManager.getConnection("jdbc:duckdb:" + folder.resolve(Database.FILE));
        Statement statement = connection.createStatement()) {
      statement.execute(
          "DELETE FROM all_stacks WHERE id >= %d AND id < %d"
              .formatted(OLD_ENDS, StackDictionary.ENDS));
      for (String column : new String[] {"all_stacks.id", "all_stacks.caller", "hot_1.stack"}) {
        String[] names = column.split("\\.");
        statement.execute(
            "UPDATE %s SET %s = %s - %d WHERE %s >= %d"
                .formatted(names[0], names[1], names[1], fewer, names[1], StackDictionary.ENDS));
      }
      statement.execute("UPDATE meta SET version = 3");
    }
  }
}
