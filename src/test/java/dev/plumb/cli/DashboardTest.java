package dev.plumb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Modes;
import dev.plumb.server.http.JsonValue;
import dev.plumb.server.http.JsonValue.Elements;
import dev.plumb.server.http.JsonValue.Members;
import dev.plumb.server.http.JsonValue.Text;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The dashboard asks for what Plumb's modes measure, each as a time series and a flame graph. */
class DashboardTest {
  @Test
  void everyPanelAsksForWhatThereIs() throws Exception {
    JsonValue json = JsonValue.parse(Files.readString(Path.of("docs/grafana/plumb.json")));
    Set<String> known = new TreeSet<>();
    Modes.all().forEach(mode -> known.addAll(mode.profileTypes(mode.name())));
    known.addAll(Modes.of("syscall:openat").profileTypes("syscall:openat"));
    int rows = 0;
    int graphs = 0;
    int series = 0;
    for (JsonValue panel : list(json, "panels")) {
      String type = text(panel, "type");
      rows += type.equals("row") ? 1 : 0;
      graphs += type.equals("flamegraph") ? 1 : 0;
      series += type.equals("timeseries") ? 1 : 0;
      if (!type.equals("row")) {
        String asked = text(list(panel, "targets").getFirst(), "profileTypeId");
        assertThat(known).contains(asked.replace("${probe}", "syscall_openat"));
      }
    }
    assertThat(rows).isGreaterThanOrEqualTo(10).isEqualTo(graphs).isEqualTo(series);
  }

  private static List<JsonValue> list(JsonValue of, String name) {
    return ((Elements) ((Members) of).values().get(name)).values();
  }

  private static String text(JsonValue of, String name) {
    return ((Text) ((Members) of).values().get(name)).value();
  }
}
