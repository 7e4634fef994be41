package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.Receiver;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is recorded here is what arrives there. */
@RequiresRoot
class RecordPushTest {
  @TempDir Path folder;

  @Test
  void theReceiverHasTheSameTotals() throws Exception {
    Path local = folder.resolve("local.plumb");
    String spinner = Programs.compiled("spinner").toString();
    try (Receiver receiver = Receiver.start(0, 1)) {
      PlumbCommand.Result result =
          PlumbCommand.run(
              "record",
              "cpu",
              "offcpu",
              "-o",
              local.toString(),
              "--push",
              receiver.url(),
              "--label",
              "team=shop",
              "--",
              spinner,
              "60",
              "1",
              "1");
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains("pushed ");
      List<Map<String, String>> received = receiver.received();
      try (Recording recording = Formats.read(local).recording()) {
        for (Profile profile : recording.profiles()) {
          String type = profile.mode().equals("cpu") ? "cpu/nanoseconds" : "time/nanoseconds";
          assertThat(profile.total(1)).isPositive();
          assertThat(Receiver.sum(received, profile.name(), type)).isEqualTo(profile.total(1));
        }
      }
      assertThat(received)
          .allSatisfy(
              one ->
                  assertThat(one)
                      .containsEntry("team", "shop")
                      .containsKey("host")
                      .doesNotContainEntry("service_name", ""));
      // A wait of a moment may be of a process whose name nobody knew, or that was to become the
      // program; nobody else's is there.
      assertThat(received)
          .allSatisfy(
              one -> assertThat(one.getOrDefault("comm", "spinner")).isIn("spinner", "java"));
      assertThat(received)
          .filteredOn(one -> one.containsKey("comm"))
          .extracting(one -> one.get("__name__"))
          .contains("process_cpu", "off_cpu");
    }
  }

  @Test
  void withoutAnOutputNothingIsWritten() throws Exception {
    Path here = Path.of("plumb.html");
    boolean before = Files.exists(here);
    try (Receiver receiver = Receiver.start(0, 0)) {
      PlumbCommand.Result result =
          PlumbCommand.run("record", "-d", "0.3", "--quiet", "--push", receiver.url());
      assertThat(result.code()).as(result.err()).isZero();
    }
    assertThat(Files.exists(here)).isEqualTo(before);
  }

  @Test
  void aBadUrlIsSaidBeforeAnythingIsRecorded() {
    PlumbCommand.Result result = PlumbCommand.run("record", "-d", "60", "--push", "pyroscope:4040");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("http://host:4040");
  }
}
