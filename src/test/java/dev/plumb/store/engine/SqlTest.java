package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.profile.Labels;
import dev.plumb.profile.Recording;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.database.Database;
import dev.plumb.store.database.StoreLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The views, and every query in the documentation. */
class SqlTest {
  private static final Pattern EXAMPLE = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

  @TempDir private static Path folder;
  private static Store store;

  /** Keeps the result. */
  private static final class Kept implements SqlTable {
    private final List<String> names = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    @Override
    public void columns(List<String> columns, List<Boolean> numeric) {
      names.addAll(columns);
    }

    @Override
    public void row(List<String> cells, boolean[] nulls) {
      rows.add(cells);
    }
  }

  @BeforeAll
  static void fill() {
    try (Store made = Store.open(StoreOptions.of(folder))) {
      List<Recording> all = new RandomRecordings(1).inARow(RandomRecordings.EPOCH, 8, 400);
      for (Recording recording : all) {
        made.add(recording, Labels.NONE);
        recording.close();
        if (recording == all.get(4)) {
          made.settle();
        }
      }
    }
    store = Store.openToRead(folder);
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static Kept ask(String query) {
    Kept kept = new Kept();
    store.sql(query, kept);
    return kept;
  }

  @Test
  void answersTheDocumentedQueries() throws IOException {
    String text = Files.readString(Path.of("docs/sql.md"));
    List<String> examples =
        EXAMPLE.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    assertThat(examples).hasSizeGreaterThanOrEqualTo(5);
    for (String example : examples) {
      Kept kept = ask(example);
      assertThat(kept.rows).as(example).isNotEmpty();
      assertThat(kept.rows.getFirst()).as(example).hasSize(kept.names.size());
    }
  }

  @Test
  void viewsHaveTheDocumentedColumns() throws IOException {
    String text = Files.readString(Path.of("docs/sql.md"));
    for (String view :
        List.of("samples", "minutes", "series", "stacks", "frames", "processes", "quality")) {
      List<String> names = ask("SELECT * FROM " + view + " LIMIT 1").names;
      String row =
          text.lines()
              .filter(line -> line.startsWith("| `" + view + "`"))
              .findFirst()
              .orElseThrow();
      String columns = row.substring(row.lastIndexOf(" | "));
      assertThat(names)
          .as(view)
          .isNotEmpty()
          .allSatisfy(name -> assertThat(columns).contains("`" + name + "`"));
    }
  }

  @Test
  void sumsAgree() {
    String sum = "SELECT CAST(sum(value) AS BIGINT) FROM %s WHERE mode = 'cpu'";
    String wanted = Long.toString(8 * 400 * RandomRecordings.PERIOD);
    for (String view : List.of("samples", "minutes", "hours", "processes")) {
      assertThat(ask(sum.formatted(view)).rows).as(view).containsExactly(List.of(wanted));
    }
  }

  @Test
  void changesNothing() {
    for (String query :
        List.of(
            "DROP TABLE meta",
            "DELETE FROM segments",
            "SELECT 1; DROP TABLE meta",
            "SELECT 1; SELECT 2",
            "COPY samples TO '/tmp/x.csv'",
            "SET threads = 1",
            "SELEC 1",
            "")) {
      assertThatThrownBy(() -> ask(query))
          .as(query)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("cannot be run");
    }
    assertThatThrownBy(() -> ask("SELECT nothing FROM samples"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("nothing");
    assertThat(ask("SELECT 1 AS one;").rows).containsExactly(List.of("1"));
  }

  @Test
  void readsBesideAnotherReader() {
    try (Store other = Store.openToRead(folder)) {
      assertThat(other.span()).isEqualTo(store.span());
      assertThatThrownBy(
              () ->
                  other.add(new RandomRecordings(1).pushed(RandomRecordings.EPOCH, 1), Labels.NONE))
          .isInstanceOf(StoreException.class);
    }
    assertThatThrownBy(() -> Store.openToRead(folder.resolve("none")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("there is no store");
  }

  /** DuckDB itself must refuse the last ones, which name no function. */
  private static List<String> forbidden(Path secret) {
    Path segments = folder.resolve("segments");
    return List.of(
        "SELECT content FROM read_text('%s')".formatted(secret),
        "SELECT * FROM read_blob('%s')".formatted(secret),
        "SELECT * FROM read_csv('%s')".formatted(secret),
        "SELECT * FROM READ_CSV_AUTO('%s')".formatted(secret),
        "SELECT * FROM read_json('%s')".formatted(secret),
        "SELECT * FROM sniff_csv('%s')".formatted(secret),
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM parquet_metadata('%s')".formatted(secret),
        "SELECT (SELECT max(content) FROM read_text('%s'))".formatted(secret),
        "WITH a AS (SELECT * FROM read_text('%s')) SELECT * FROM a".formatted(secret),
        "SELECT * FROM query('FROM read_text(''%s'')')".formatted(secret),
        "SELECT * FROM query_table('%s')".formatted(secret),
        "SELECT * FROM enable_logging(storage = 'file', storage_path = '%s')"
            .formatted(folder.resolve("log")),
        "SELECT * FROM force_checkpoint()",
        "SELECT write_log('x')",
        "PRAGMA database_list",
        "ATTACH '%s' AS other".formatted(secret),
        "COPY (SELECT 1) TO '%s'".formatted(folder.resolve("segments/new.csv")),
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM '%s'".formatted(secret),
        "SELECT * FROM '%s/../secret.csv'".formatted(segments),
        "SELECT * FROM '%s/link.csv'".formatted(segments),
        "SELECT * FROM 'http://127.0.0.1:9/x.csv'");
  }

  /** A query runs with the rights of the server, whatever it says. */
  @Test
  void readsNoFilesAndChangesNoSettings() throws IOException {
    Path secret = folder.resolve("secret.csv");
    Files.writeString(secret, "a,b\n1,hidden\n");
    Path link = Files.createSymbolicLink(folder.resolve("segments/link.csv"), secret);
    try {
      for (String query : forbidden(secret)) {
        assertThatThrownBy(() -> ask(query))
            .as(query)
            .isInstanceOf(StoreException.class)
            .message()
            .doesNotContain("hidden");
      }
      assertThat(folder.resolve("log")).doesNotExist();
      assertThat(ask("SELECT sum(range) FROM range(4)").rows).containsExactly(List.of("6"));
      assertThat(ask("SELECT count(*) > 0 FROM samples").rows).containsExactly(List.of("true"));
    } finally {
      Files.delete(link);
      Files.delete(secret);
    }
  }

  /** The database that a server writes and queries is locked, too. */
  @Test
  void theDatabaseItselfIsLocked(@TempDir Path other) throws Exception {
    Path secret = Files.writeString(other.resolve("secret.csv"), "a,b\n1,hidden\n");
    try (Database database =
        Database.open(StoreOptions.of(other), StoreLimits.of(StoreOptions.of(other)))) {
      for (String sql :
          List.of(
              "SELECT * FROM read_text('%s')".formatted(secret),
              "ATTACH '%s' AS x".formatted(other.resolve("x.duckdb")),
              "COPY (SELECT 1) TO '%s'".formatted(other.resolve("x.csv")),
              "LOAD httpfs",
              "SET enable_external_access = true",
              "SET GLOBAL allowed_directories = ['/']",
              "SET temp_directory = '/tmp'",
              "SET lock_configuration = false")) {
        assertThatThrownBy(() -> Database.execute(database.writer(), sql))
            .as(sql)
            .isInstanceOf(java.sql.SQLException.class);
      }
    }
  }
}
