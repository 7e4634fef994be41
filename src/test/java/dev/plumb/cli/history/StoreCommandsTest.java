package dev.plumb.cli.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.cli.text.Times;
import dev.plumb.export.Formats;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.engine.Store;
import dev.plumb.testing.PlumbCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code plumb query}, {@code export} and {@code sql}. */
class StoreCommandsTest {
  private static final long PERIOD = 10_000_000;

  @TempDir private static Path folder;

  @BeforeAll
  static void fill() {
    StackTable.Builder stacks = new StackTable.Builder();
    int main =
        stacks.called(
            stacks.empty(StackEnd.WHOLE), stacks.frame(Frame.ofName("main", FrameKind.NATIVE)));
    int hot = stacks.called(main, stacks.frame(Frame.ofName("hot", FrameKind.NATIVE)));
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
            1,
            new ValueType("cpu", "nanoseconds"),
            PERIOD);
    int none = builder.labels(Labels.NONE);
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    long start = Instant.now().minusSeconds(600).getEpochSecond() * 1_000_000_000;
    for (int i = 0; i < 100; i++) {
      String comm = i % 4 == 0 ? "nginx" : "java, \"big\"";
      int pid = i % 4 == 0 ? 7 : 8;
      int thread = builder.thread(new ThreadInfo(pid, pid, pid, 5, comm, comm, ""));
      int row = builder.row(i % 10 == 0 ? main : hot, thread, none);
      builder.add(row, 0, 1);
      builder.add(row, 1, PERIOD);
      timeline.append(start + i * PERIOD, row, 0, PERIOD);
    }
    Recording recording =
        new Recording(
            start,
            1_000_000_000,
            List.of(builder.build(stacks.build(), timeline.build(), Quality.UNKNOWN)),
            Map.of("host", "here"));
    try (Store store = Store.open(StoreOptions.of(folder));
        recording) {
      store.add(recording, Labels.NONE);
    }
  }

  private static PlumbCommand.Result run(String command, String... more) {
    String[] words = new String[more.length + 3];
    words[0] = command;
    words[1] = "--store";
    words[2] = folder.toString();
    System.arraycopy(more, 0, words, 3, more.length);
    return PlumbCommand.run(words);
  }

  @Test
  void showsTheHottestFunctions() {
    PlumbCommand.Result result = run("query", "cpu");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("hot").contains("900 ms").contains("90.00 %");
    assertThat(result.out().lines().toList().get(1)).contains("hot");
  }

  @Test
  void sumsByALabel() {
    PlumbCommand.Result result = run("query", "cpu", "--by", "comm");
    assertThat(result.out()).contains("75.00 %").contains("nginx").contains("25.00 %");
    PlumbCommand.Result one = run("query", "--where", "comm=\"nginx\"", "--by", "pid");
    assertThat(one.out()).contains("250 ms").contains("7");
    assertThat(run("query", "--to", "now-1h", "--from", "now-2h").out())
        .contains("no data in this time range");
  }

  @Test
  void exportsEveryFormat() throws IOException {
    for (var format : Formats.all()) {
      if (format.writer().isEmpty()) {
        continue;
      }
      Path file = folder.resolve("out" + format.ending());
      PlumbCommand.Result result = run("export", "cpu", "-o", file.toString());
      assertThat(result.code()).as("%s: %s", format.name(), result.err()).isZero();
      assertThat(file).isNotEmptyFile();
    }
    try (Recording recording = Formats.read(folder.resolve("out.plumb")).recording()) {
      assertThat(recording.main().total(1)).isEqualTo(100 * PERIOD);
      assertThat(recording.main().timeline().size()).isEqualTo(100);
    }
    assertThat(Files.readString(folder.resolve("out.folded"))).contains("nginx;main;hot");
    PlumbCommand.Result few =
        run("export", "-o", folder.resolve("few.plumb").toString(), "--max-samples", "5");
    assertThat(few.err()).contains("without timestamps");
  }

  @Test
  void runsSql() {
    String query =
        "SELECT comm, CAST(sum(value) AS BIGINT) AS v, NULL AS n FROM samples GROUP BY comm ORDER BY v";
    assertThat(run("sql", "--csv", query).out())
        .isEqualTo("comm,v,n\nnginx,250000000,\n\"java, \"\"big\"\"\",750000000,\n");
    assertThat(run("sql", "--json", query).out())
        .isEqualTo(
            "[\n{\"comm\": \"nginx\", \"v\": 250000000, \"n\": null},\n"
                + "{\"comm\": \"java, \\\"big\\\"\", \"v\": 750000000, \"n\": null}\n]\n");
    assertThat(run("sql", "--table", query).out()).contains("nginx").contains("250000000");
    assertThat(run("sql", "DROP TABLE meta").code()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          1 | query nothing                | the store has no profiles of 'nothing'
          2 | query a:b                    | is not of the form
          2 | query --from yesterday       | 'yesterday' is not a time
          2 | query --where {comm          | bad selector
          2 | query --from now --to now-1h | ends before it begins
          2 | sql --csv --json x           | use one of
          2 | export cpu                   | --output
          1 | export cpu --from now-3h --to now-2h -o x.svg | no data in this time range
          1 | sql nonsense                 | cannot be run
          """)
  void saysWhatIsWrong(int code, String words, String text) {
    String[] parts = words.split(" ");
    String[] rest = java.util.Arrays.copyOfRange(parts, 1, parts.length);
    PlumbCommand.Result result = run(parts[0], rest);
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.err()).contains(text);
  }

  @Test
  void saysWhereThereIsNoStore() {
    PlumbCommand.Result result =
        PlumbCommand.run("query", "--store", folder.resolve("none").toString());
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("there is no store in").contains("plumb serve");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          now,                  2026-11-15T12:00:00Z
          now-1h,               2026-11-15T11:00:00Z
          now-90s,              2026-11-15T11:58:30Z
          now-7d,               2026-11-08T12:00:00Z
          03:12,                2026-11-15T03:12:00Z
          23:00:05,             2026-11-14T23:00:05Z
          2026-11-01,           2026-11-01T00:00:00Z
          2026-11-01T10:00,     2026-11-01T10:00:00Z
          2026-11-01 10:00:01,  2026-11-01T10:00:01Z
          2026-11-01T10:00Z,    2026-11-01T10:00:00Z
          2026-11-01T10:00+02:00, 2026-11-01T08:00:00Z
          1700000000,           2023-11-14T22:13:20Z
          1700000000123,        2023-11-14T22:13:20.123Z
          1700000000123456,     2023-11-14T22:13:20.123456Z
          1700000000123456789,  2023-11-14T22:13:20.123456789Z
          """)
  void readsTimes(String text, String wanted) {
    Times times = new Times(Instant.parse("2026-11-15T12:00:00Z"), ZoneOffset.UTC);
    Instant moment = Instant.parse(wanted);
    assertThat(times.nanos(text))
        .isEqualTo(moment.getEpochSecond() * 1_000_000_000 + moment.getNano());
  }

  @Test
  void refusesWhatIsNoTime() {
    Times times = new Times(Instant.now(), ZoneOffset.UTC);
    for (String text : List.of("", "x", "now-", "now-x", "25:00", "2026-13-01", "12", "now-xd")) {
      assertThatThrownBy(() -> times.nanos(text)).as(text).isInstanceOf(RuntimeException.class);
    }
  }
}
