package dev.plumb.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is pushed arrives, once, at a server made of Pyroscope's own handlers. */
class PusherTest {
  private static final long SPOOL = 64L << 20;
  private static final long MINUTE = 60_000_000_000L;
  private static final PushLabels COMMON =
      PushLabels.all(Labels.of("host", "test-host", "env", "check"));

  @TempDir Path folder;

  @Test
  void everythingArrivesOnce() throws Exception {
    try (Receiver receiver = Receiver.start(0, 2);
        Recording recording = TestRecordings.varied(3_000, 20_000)) {
      PushTarget target =
          PushTarget.of(Protocol.PYROSCOPE, "http://me:secret@127.0.0.1:" + receiver.port() + "/")
              .withTenant("tenant-a");
      try (Pusher pusher = new Pusher(target, folder, SPOOL)) {
        pusher.push(recording, COMMON);
        assertThat(pusher.flush(MINUTE)).as("%s", pusher.state()).isTrue();
        assertThat(pusher.state().refused()).isZero();
        assertThat(pusher.state().trouble()).isEmpty();
      }
      List<Map<String, String>> received = receiver.received();
      assertTotals(received, recording);
      assertThat(received.stream().map(one -> one.get("id")).distinct()).hasSize(received.size());
      assertThat(received)
          .allSatisfy(
              one -> {
                assertThat(one).containsEntry("host", "test-host").containsEntry("env", "check");
                assertThat(one).containsEntry("auth", "Basic bWU6c2VjcmV0");
                assertThat(one).containsEntry("tenant", "tenant-a");
                assertThat(one.get("service_name")).isNotEmpty();
              });
    }
  }

  /** As many profiles as there are; what a receiver takes in one is limited. */
  @Test
  void largeProfilesAreSplit() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0);
        Recording recording = deep(40_000)) {
      try (Pusher pusher = new Pusher(target(receiver.port()), folder, SPOOL)) {
        pusher.push(recording, COMMON);
        assertThat(pusher.flush(MINUTE)).isTrue();
      }
      List<Map<String, String>> received = receiver.received();
      assertTotals(received, recording);
      assertThat(received)
          .allSatisfy(
              one ->
                  assertThat(Integer.parseInt(one.get("samples")))
                      .isLessThanOrEqualTo(ServiceProfile.MAX_ROWS));
    }
  }

  /** A server that is away: what was to be sent outlives even us, and arrives once. */
  @Test
  void whatCannotBeSentWaitsOnDisk() throws Exception {
    int port = freePort();
    try (Recording recording = TestRecordings.varied(3_000, 20_000)) {
      try (Pusher pusher = new Pusher(target(port), folder, SPOOL)) {
        pusher.push(recording, COMMON);
        assertThat(pusher.flush(1_000_000_000)).isFalse();
        assertThat(pusher.state().waiting()).isPositive();
        assertThat(pusher.state().trouble()).isNotEmpty();
      }
      assertThat(batches()).isPositive();
      try (Receiver receiver = Receiver.start(port, 0)) {
        try (Pusher pusher = new Pusher(target(port), folder, SPOOL)) {
          assertThat(pusher.flush(MINUTE)).as("%s", pusher.state()).isTrue();
        }
        assertTotals(receiver.received(), recording);
      }
    }
    assertThat(batches()).isZero();
  }

  @Test
  void whatFindsNoRoomIsCounted() throws Exception {
    try (Recording recording = TestRecordings.varied(3_000, 20_000);
        Pusher pusher = new Pusher(target(freePort()), folder, 100_000)) {
      for (int i = 0; i < 300; i++) {
        pusher.push(recording, COMMON);
      }
      assertThat(pusher.state().dropped()).isPositive();
      assertThat(pusher.state().waitingBytes()).isLessThan(10L << 20);
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(100_000);
    }
  }

  @Test
  void aReceiverThatRefusesIsNotAskedAgain() throws Exception {
    try (Receiver receiver = Receiver.start(0, 0);
        Recording recording = TestRecordings.varied()) {
      PushTarget wrongPath = PushTarget.of(Protocol.PYROSCOPE, receiver.url() + "/somewhere/else");
      try (Pusher pusher = new Pusher(wrongPath, folder, SPOOL)) {
        pusher.push(recording, COMMON);
        assertThat(pusher.flush(MINUTE)).isTrue();
        assertThat(pusher.state().refused()).isPositive();
        assertThat(pusher.state().trouble()).contains("404");
      }
    }
  }

  @Test
  void damagedFilesAreLeftOut() throws Exception {
    Files.writeString(folder.resolve("0000000000000000007.batch"), "no batch at all, by far");
    Files.write(folder.resolve("0000000000000000008.batch"), new byte[] {1, 2});
    try (Receiver receiver = Receiver.start(0, 0);
        Pusher pusher = new Pusher(target(receiver.port()), folder, SPOOL)) {
      assertThat(pusher.flush(MINUTE)).isTrue();
    }
    assertThat(batches()).isZero();
  }

  @Test
  void refusesWhatIsNoUrl() {
    for (String bad : List.of("pyroscope:4040", "ftp://x", "http:///x", "ht tp://x", "")) {
      assertThatThrownBy(() -> PushTarget.of(Protocol.PYROSCOPE, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("http://host:4040");
    }
  }

  private static PushTarget target(int port) {
    return PushTarget.of(Protocol.PYROSCOPE, "http://127.0.0.1:" + port);
  }

  private long batches() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".batch")).count();
    }
  }

  private static void assertTotals(List<Map<String, String>> received, Recording recording) {
    for (Profile profile : recording.profiles()) {
      for (int type = 0; type < profile.types().size(); type++) {
        String name = profile.types().get(type).name() + "/" + profile.types().get(type).unit();
        assertThat(Receiver.sum(received, profile.name(), name)).isEqualTo(profile.total(type));
      }
    }
  }

  /** So many stacks, each its own. */
  private static Recording deep(int count) {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    int thread = builder.thread(new ThreadInfo(7, 7, 7, 0, "deep", "deep", ""));
    int none = builder.labels(Labels.NONE);
    int main = stacks.called(stacks.empty(StackEnd.WHOLE), stacks.frame(frame("main")));
    for (int i = 0; i < count; i++) {
      int row = builder.row(stacks.called(main, stacks.frame(frame("f" + i))), thread, none);
      builder.add(row, 0, 1);
      builder.add(row, 1, TestRecordings.PERIOD);
    }
    Profile profile = builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    return new Recording(TestRecordings.START, 1_000_000_000, List.of(profile), Map.of());
  }

  private static Frame frame(String name) {
    return Frame.ofName(name, FrameKind.NATIVE);
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
