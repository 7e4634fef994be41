package dev.plumb.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.push.PushTarget.Protocol;
import dev.plumb.testing.Receiver;
import dev.plumb.testing.TestRecordings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A receiver that takes less than is there, as Pyroscope does: so many unpacked bytes a second,
 * some of a request and then 429, never a profile that is larger than its burst.
 */
class PushLimitsTest {
  private static final long SPOOL = 64L << 20;
  private static final long MINUTE = 60_000_000_000L;
  private static final int RATE = 1_000_000;
  private static final int BURST = 250_000;
  private static final PushLabels COMMON = PushLabels.all(Labels.of("host", "test-host"));

  @TempDir Path folder;

  private static PushTarget target(Receiver receiver) {
    return PushTarget.of(Protocol.PYROSCOPE, receiver.url());
  }

  @Test
  void everythingArrivesOnceAlthoughItIsTooMuchAtOnce() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0, RATE, BURST);
        Recording large = functions(8_000, "large");
        Recording small = TestRecordings.varied(300, 2_000)) {
      String seen = "";
      try (Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
        pusher.push(large, COMMON);
        pusher.push(small, COMMON);
        boolean sent = false;
        for (int i = 0; i < 600 && !sent; i++) {
          sent = pusher.flush(100_000_000);
          seen += pusher.state().shown() + "\n";
        }
        assertThat(sent).as("%s", pusher.state()).isTrue();
        assertThat(pusher.state().refused()).isZero();
        assertThat(pusher.state().trouble()).isEmpty();
      }
      assertThat(seen)
          .containsPattern(
              "refused for now: too many bytes per second \\(HTTP 429\\); trying again in \\d+ s")
          .doesNotContain("cannot be reached");
      assertTotals(receiver.received(), large, small);
    }
    assertThat(files()).isEmpty();
  }

  /** What was taken before the end is not sent again by the next one. */
  @Test
  void aRestartSendsOnlyWhatIsLeft() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0, RATE / 2, BURST);
        Recording large = functions(12_000, "large")) {
      try (Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
        pusher.push(large, COMMON);
        long end = System.nanoTime() + MINUTE;
        while (pusher.state().sentSamples() == 0 && System.nanoTime() < end) {
          Thread.sleep(20);
        }
        assertThat(pusher.state().waiting()).isPositive();
      }
      assertThat(files()).isNotEmpty();
      try (Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
        assertThat(pusher.flush(MINUTE)).as("%s", pusher.state()).isTrue();
      }
      assertTotals(receiver.received(), large);
    }
  }

  /** Versions before put many profiles into a request, of which a receiver may take some. */
  @Test
  void aRequestOfManyProfilesIsTakenApart() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0, RATE, BURST);
        Recording first = functions(1_500, "first");
        Recording second = functions(1_500, "second");
        Recording third = functions(10, "third")) {
      ProtoOut whole = new ProtoOut();
      for (Recording one : List.of(first, second, third)) {
        for (PushBatch batch : new PyroscopeEncoder().batches(one, COMMON)) {
          whole.raw(batch.body());
        }
      }
      PushBatch old =
          new PushBatch(PyroscopePush.PATH, "application/proto", 3_010, whole.toBytes());
      Files.write(folder.resolve("0000000000000000007.batch"), old.toBytes());
      // A crash came while it was taken apart.
      Files.write(folder.resolve("0000000000000000007-1.batch"), old.toBytes());
      try (Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
        assertThat(pusher.flush(MINUTE)).as("%s", pusher.state()).isTrue();
        assertThat(pusher.state().sentSamples()).isEqualTo(3_010);
      }
      assertTotals(receiver.received(), first, second, third);
    }
  }

  /** A profile that is never taken waits by itself. */
  @Test
  void oneThatIsRefusedLetsOthersPass() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0, 40_000, 15_000);
        Recording never = function("f".repeat(15_500));
        Recording others = functions(50, "others")) {
      try (Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
        pusher.push(never, COMMON);
        Thread.sleep(500);
        pusher.push(others, COMMON);
        long end = System.nanoTime() + MINUTE;
        while (pusher.state().sentSamples() < 50 && System.nanoTime() < end) {
          Thread.sleep(20);
        }
        assertThat(pusher.state().sentSamples()).as("%s", pusher.state()).isEqualTo(50);
        assertThat(pusher.state().waiting()).isEqualTo(1);
        assertThat(pusher.state().trouble()).contains("HTTP 429");
      }
      assertTotals(receiver.received(), others);
    }
  }

  @Test
  void whatIsTooLargeAndCannotBeSplitIsGivenUpAndSaid() throws Exception {
    StringBuilder name = new StringBuilder();
    new java.util.Random(1).ints(20_000, 33, 127).forEach(c -> name.append((char) c));
    try (Receiver receiver = Receiver.start(0, 0, RATE, 50_000);
        Recording huge = function(name.toString());
        Recording others = functions(50, "others");
        Pusher pusher = new Pusher(target(receiver), folder, SPOOL)) {
      pusher.push(huge, COMMON);
      pusher.push(others, COMMON);
      assertThat(pusher.flush(MINUTE)).as("%s", pusher.state()).isTrue();
      assertThat(pusher.state().refused()).isEqualTo(1);
      assertTotals(receiver.received(), others);
    }
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static void assertTotals(List<Map<String, String>> received, Recording... recordings) {
    for (String name : List.of("process_cpu", "off_cpu")) {
      for (String type : List.of("samples/count", "cpu/nanoseconds", "time/nanoseconds")) {
        long wanted = 0;
        for (Recording recording : recordings) {
          wanted += total(recording, name, type);
        }
        assertThat(Receiver.sum(received, name, type)).as("%s %s", name, type).isEqualTo(wanted);
      }
    }
  }

  private static long total(Recording recording, String name, String wanted) {
    long sum = 0;
    for (Profile profile : recording.profiles()) {
      for (int type = 0; type < profile.types().size(); type++) {
        String id = profile.types().get(type).name() + "/" + profile.types().get(type).unit();
        sum += profile.name().equals(name) && id.equals(wanted) ? profile.total(type) : 0;
      }
    }
    return sum;
  }

  private static Recording function(String name) {
    return recording(1, name, "alone");
  }

  /** So many functions, each its own, of one program. */
  private static Recording functions(int count, String program) {
    return recording(count, "a_function_with_a_name_as_long_as_they_are_in_programs_", program);
  }

  private static Recording recording(int count, String prefix, String program) {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    int thread = builder.thread(new ThreadInfo(7, 7, 7, 0, program, program, ""));
    int none = builder.labels(Labels.NONE);
    int main = stacks.called(stacks.empty(StackEnd.WHOLE), stacks.frame(frame("main")));
    for (int i = 0; i < count; i++) {
      int row = builder.row(stacks.called(main, stacks.frame(frame(prefix + i))), thread, none);
      builder.add(row, 0, 1);
      builder.add(row, 1, TestRecordings.PERIOD);
    }
    Profile profile = builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    return new Recording(TestRecordings.START, 1_000_000_000, List.of(profile), Map.of());
  }

  private static Frame frame(String name) {
    return Frame.ofName(name, FrameKind.NATIVE);
  }
}
