package dev.plumb.server.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreException.Reason;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import dev.plumb.store.engine.Store;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked by the socket is what the store says. */
class StoreSocketTest {
  private static final long START = 1_700_000_000_000_000_000L;
  private static final long PERIOD = 10_000_000;
  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");
  private static final Selection ALL = Selection.of(CPU, Selector.ALL, TimeRange.ALL);

  @TempDir private Path folder;
  private Store store;
  private StoreSocketServer socket;

  @BeforeEach
  void fill() throws IOException {
    store = Store.open(StoreOptions.of(folder));
    StackTable.Builder stacks = new StackTable.Builder();
    int main =
        stacks.called(
            stacks.empty(StackEnd.WHOLE), stacks.frame(Frame.ofName("main", FrameKind.NATIVE)));
    int hot = stacks.called(main, stacks.frame(Frame.ofName("hot", FrameKind.KERNEL)));
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
            1,
            new ValueType("cpu", "nanoseconds"),
            PERIOD);
    CompactTimelineBuilder timeline = CompactTimeline.builder();
    for (int i = 0; i < 1000; i++) {
      String comm = "prog" + i % 3;
      int thread = builder.thread(new ThreadInfo(i % 3, i % 3, 1, 5, comm, comm, ""));
      int row = builder.row(i % 7 == 0 ? main : hot, thread, builder.labels(Labels.NONE));
      builder.add(row, 0, 1);
      builder.add(row, 1, PERIOD);
      timeline.append(START + i * PERIOD, row, 0, PERIOD);
    }
    try (Recording recording =
        new Recording(
            START,
            10_000_000_000L,
            List.of(builder.build(stacks.build(), timeline.build(), Quality.UNKNOWN)),
            Map.of("host", "here"))) {
      store.add(recording, Labels.of("team", "büro"));
    }
    socket = StoreSocketServer.open(folder, store, new QueryScheduler());
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    store.close();
  }

  private StoreSocketClient asked() {
    return StoreSocketClient.find(folder).orElseThrow();
  }

  /** In an order of our own: a database has none. */
  private static String folded(Recording recording) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Formats.write(recording, out, Formats.byName("folded"), WriteOptions.DEFAULT);
    return out.toString(StandardCharsets.UTF_8).lines().sorted().collect(Collectors.joining("\n"));
  }

  private static String folded(Profile profile) throws IOException {
    return folded(new Recording(0, 0, List.of(profile), Map.of()));
  }

  /** What a query answers, as text. */
  private static String sql(ReadableStore of, String query) {
    StringBuilder text = new StringBuilder();
    of.sql(
        query,
        new SqlTable() {
          @Override
          public void columns(List<String> names, List<Boolean> numeric) {
            text.append(names).append(numeric);
          }

          @Override
          public void row(List<String> cells, boolean[] nulls) {
            text.append(cells).append(Arrays.toString(nulls));
          }
        });
    return text.toString();
  }

  @Test
  void answersAsTheStoreDoes() throws IOException {
    try (StoreSocketClient asked = asked()) {
      assertThat(asked.span()).isEqualTo(store.span());
      assertThat(asked.types(TimeRange.ALL)).isEqualTo(store.types(TimeRange.ALL)).hasSize(2);
      assertThat(asked.mainType("cpu")).contains(CPU);
      assertThat(asked.mainType("mem")).isEmpty();
      Selection some =
          Selection.of(
              CPU,
              Selector.parse("{comm!~\"prog[12]\", team=\"büro\"}"),
              new TimeRange(START + PERIOD * 100, START + PERIOD * 500));
      for (Selection selection : List.of(ALL, some)) {
        assertThat(folded(asked.merged(selection)))
            .isNotEmpty()
            .isEqualTo(folded(store.merged(selection)));
        try (Recording own = store.samples(selection, 1000);
            Recording other = asked.samples(selection, 1000)) {
          assertThat(folded(other)).isEqualTo(folded(own));
          assertThat(other.main().timeline().size()).isEqualTo(own.main().timeline().size());
          assertThat(other.startNanos()).isEqualTo(own.startNanos());
        }
      }
      TimeRange range = new TimeRange(START, START + 10_000_000_000L);
      Selection whole = Selection.of(CPU, Selector.ALL, range);
      List<TimeSeries> series = asked.timeline(whole, List.of("comm"), 1_000_000_000L, 2);
      List<TimeSeries> wanted = store.timeline(whole, List.of("comm"), 1_000_000_000L, 2);
      assertThat(series).hasSize(3);
      for (int i = 0; i < series.size(); i++) {
        assertThat(series.get(i).labels()).isEqualTo(wanted.get(i).labels());
        assertThat(series.get(i).values()).isEqualTo(wanted.get(i).values());
      }
      String query =
          "SELECT comm, count(*) AS n, NULL AS none FROM samples GROUP BY ALL ORDER BY 1";
      assertThat(sql(asked, query)).contains("prog2").isEqualTo(sql(store, query));
      assertThat(sql(asked, "SELECT 1 WHERE false")).isEqualTo(sql(store, "SELECT 1 WHERE false"));
    }
  }

  @Test
  void failsAsTheStoreDoes() {
    try (StoreSocketClient asked = asked()) {
      assertThatThrownBy(() -> asked.samples(ALL, 10))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_MUCH))
          .hasMessageContaining("samples, more than 10");
      assertThatThrownBy(() -> sql(asked, "DROP TABLE meta"))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.reason()).isEqualTo(Reason.QUESTION));
      // After the first rows.
      assertThatThrownBy(
              () ->
                  sql(
                      asked,
                      "SELECT CASE WHEN range < 90000 THEN 1 ELSE CAST('x' || range AS INTEGER) END FROM range(100000)"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("onver");
      assertThatThrownBy(() -> asked.timeline(ALL, List.of(), 1, 0))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("steps");
      assertThat(asked.span()).isPresent();
    }
  }

  @Test
  void isForItsUserOnly() throws Exception {
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(StoreSocketProtocol.socket(folder))))
        .isEqualTo("rw-------");
    assumeTrue("root".equals(System.getProperty("user.name")), "only root can be another user");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(
        StoreSocketProtocol.socket(folder), PosixFilePermissions.fromString("rw-rw-rw-"));
    String program =
        "import socket,sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            + " s.settimeout(20)\ntry:\n s.sendall(b'PLQ1\\x00'); print(len(s.recv(100)))\n"
            + "except OSError: print(0)";
    for (int user : new int[] {0, 65534}) {
      Process process =
          new ProcessBuilder(
                  "setpriv",
                  "--reuid=" + user,
                  "--clear-groups",
                  "/usr/bin/python3",
                  "-c",
                  program,
                  StoreSocketProtocol.socket(folder).toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said.strip()).as("user %d", user).isEqualTo(user == 0 ? "18" : "0");
    }
  }

  @Test
  void isNotThereWhenNobodyAnswers() throws IOException {
    socket.close();
    assertThat(StoreSocketClient.find(folder)).isEmpty();
    // What a crash leaves.
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(UnixDomainSocketAddress.of(StoreSocketProtocol.socket(folder)));
    }
    assertThat(Files.exists(StoreSocketProtocol.socket(folder))).isTrue();
    assertThat(StoreSocketClient.find(folder)).isEmpty();
    socket = StoreSocketServer.open(folder, store, new QueryScheduler());
    assertThat(asked().span()).isPresent();
  }

  @Test
  void takesAnyBytes() throws IOException {
    Random random = new Random(5);
    for (int round = 0; round < 200; round++) {
      try (SocketChannel channel =
          SocketChannel.open(UnixDomainSocketAddress.of(StoreSocketProtocol.socket(folder)))) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        ByteBuffer request = ByteBuffer.allocate(5 + bytes.length);
        request.putInt(StoreSocketProtocol.MAGIC).put((byte) random.nextInt(9)).put(bytes).flip();
        channel.write(request);
        channel.shutdownOutput();
        ByteBuffer answer = ByteBuffer.allocate(1 << 16);
        while (channel.read(answer.clear()) >= 0) {}
      } catch (SocketException e) {
        // It did not read on.
      }
    }
    assertThat(asked().span()).isEqualTo(store.span());
  }

  @Test
  void believesNoServerThatLies() throws Exception {
    socket.close();
    Random random = new Random(6);
    try (ServerSocketChannel liar = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      liar.bind(UnixDomainSocketAddress.of(StoreSocketProtocol.socket(folder)));
      Thread.ofVirtual().start(() -> lie(liar, random));
      StoreSocketClient asked = asked();
      List<Runnable> questions =
          List.of(
              asked::span,
              () -> asked.types(TimeRange.ALL),
              () -> asked.mainType("cpu"),
              () -> asked.merged(ALL),
              () -> asked.samples(ALL, 5).close(),
              () -> asked.timeline(ALL, List.of(), 1, 1),
              () -> sql(asked, "SELECT 1"));
      int failed = 0;
      for (int round = 0; round < 300; round++) {
        try {
          questions.get(round % questions.size()).run();
        } catch (StoreException e) {
          failed++;
        }
      }
      assertThat(failed).isGreaterThan(200);
    }
    socket = StoreSocketServer.open(folder, store, new QueryScheduler());
  }

  private static void lie(ServerSocketChannel liar, Random random) {
    while (true) {
      try (SocketChannel channel = liar.accept()) {
        channel.read(ByteBuffer.allocate(4096));
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        if (bytes.length > 0) {
          bytes[0] = (byte) random.nextInt(2);
        }
        channel.write(ByteBuffer.wrap(bytes));
      } catch (java.nio.channels.ClosedChannelException e) {
        return;
      } catch (IOException e) {
        // It did not wait.
      }
    }
  }
}
