package dev.plumb.symbols.debugfile;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debug files from a real debuginfod, and from servers that do what they should not. */
class DebuginfodTest {
  private static final String ID = "0123456789abcdef0123456789abcdef01234567";

  @TempDir Path folder;

  /** How long a server may take: long, because who answers may have to wait for a CPU. */
  private int seconds = 15;

  @Test
  void fetchesFromARealServerAndKeepsForOthers() throws Exception {
    Stripped stripped = Stripped.make("debuginfod-real", 31);
    Path served = Files.createDirectory(folder.resolve("served"));
    Files.copy(stripped.debug(), served.resolve("some.debug"));
    String id = stripped.buildId();
    try (DebuginfodServer server = DebuginfodServer.start(served, id)) {
      Debuginfod client = client(server.url() + "/");
      assertContent(client.find(id), stripped.debug());
      assertThat(client.find(ID)).isEmpty();
      assertThat(client.problems()).isEmpty();
      assertThat(client.summary()).isEqualTo("1 files fetched, 0 cached, 1 on no server");
    }
    assertThat(names(folder.resolve("cache").resolve(id))).containsExactly("debuginfo");
    // The server is gone. elfutils' own client finds what we kept.
    String found =
        Fixtures.run(
            "env",
            "DEBUGINFOD_CACHE_PATH=" + folder.resolve("cache"),
            "DEBUGINFOD_URLS=http://127.0.0.1:1/",
            "debuginfod-find",
            "debuginfo",
            id);
    assertThat(Path.of(found.strip())).hasSameBinaryContentAs(stripped.debug());
    assertContent(client("http://127.0.0.1:1").find(id), stripped.debug());
  }

  @Test
  void findsWhatOthersKept() throws Exception {
    Stripped stripped = Stripped.make("debuginfod-other", 32);
    Path served = Files.createDirectory(folder.resolve("served"));
    Files.copy(stripped.debug(), served.resolve("some.debug"));
    String id = stripped.buildId();
    try (DebuginfodServer server = DebuginfodServer.start(served, id)) {
      Fixtures.run(
          "env",
          "DEBUGINFOD_CACHE_PATH=" + folder.resolve("cache"),
          "DEBUGINFOD_URLS=" + server.url(),
          "debuginfod-find",
          "debuginfo",
          id);
    }
    Debuginfod client = client("http://127.0.0.1:1");
    assertContent(client.find(id), stripped.debug());
    assertThat(client.summary()).isEqualTo("0 files fetched, 1 cached, 0 on no server");
  }

  @Test
  void aServerThatHangsIsLeftAndNotAskedAgain() throws Exception {
    seconds = 1;
    check(out -> Thread.sleep(60_000), "no response within 1 s; it is not queried again", 1);
  }

  /** Each byte comes in time, all of them never. */
  @Test
  void aServerThatDawdlesIsLeft() throws Exception {
    seconds = 1;
    check(
        out -> {
          for (byte b : "HTTP/1.1 200 OK\r\nX: xxxxxxxxxxxxxxxxxxxx".getBytes(US_ASCII)) {
            out.write(b);
            out.flush();
            Thread.sleep(100);
          }
          Thread.sleep(60_000);
        },
        "not queried again",
        1);
    check(
        out -> {
          head(out, 1 << 20);
          for (int i = 0; i < 600; i++) {
            out.write(0);
            out.flush();
            Thread.sleep(100);
          }
        },
        "not queried again",
        1);
  }

  @Test
  void anotherFileIsRefused() throws Exception {
    byte[] other = Files.readAllBytes(Stripped.make("debuginfod-wrong", 33).debug());
    check(
        out -> {
          head(out, other.length);
          out.write(other);
        },
        "is another file, or damaged",
        2);
    byte[] garbage = "no ELF file".getBytes(US_ASCII);
    check(
        out -> {
          head(out, garbage.length);
          out.write(garbage);
        },
        "is another file, or damaged",
        2);
  }

  @Test
  void whatIsTooLargeIsNotTaken() throws Exception {
    check(out -> head(out, 9L << 30), "larger than 1048576 bytes", 2);
    check(
        out -> {
          out.write("HTTP/1.0 200 OK\r\n\r\n".getBytes(US_ASCII));
          byte[] zeros = new byte[1 << 16];
          for (int i = 0; i < 1 << 14; i++) {
            out.write(zeros); // a gigabyte, unless the other side hangs up
          }
        },
        "larger than 1048576 bytes",
        2);
  }

  @Test
  void whatIsCutShortIsNotTaken() throws Exception {
    byte[] half = Arrays.copyOf(Files.readAllBytes(Path.of("/bin/true")), 1000);
    check(
        out -> {
          head(out, 2000);
          out.write(half);
        },
        "not queried again",
        1);
  }

  @Test
  void aServerWithErrorsIsLeftAfterSome() throws Exception {
    try (BadServer server =
        BadServer.start(
            out -> out.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII)))) {
      Debuginfod client = client(server.url());
      for (int i = 0; i < 9; i++) {
        assertThat(client.find(ID.replace('0', (char) ('1' + i)))).isEmpty();
      }
      assertThat(server.asked()).isEqualTo(3);
      assertThat(client.problems()).singleElement().asString().contains("HTTP status 500");
    }
  }

  /** For ten minutes: then somebody may have it. */
  @Test
  void whatNoServerHasIsNotAskedForAgain() throws Exception {
    try (BadServer server =
        BadServer.start(
            out -> out.write("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII)))) {
      for (int i = 0; i < 3; i++) {
        assertThat(client(server.url()).find(ID)).isEmpty();
      }
      assertThat(server.asked()).isEqualTo(1);
      Path note = folder.resolve("cache").resolve(ID).resolve("debuginfo");
      assertThat(note).isEmptyFile();
      Files.setLastModifiedTime(note, FileTime.from(Instant.now().minusSeconds(700)));
      assertThat(client(server.url()).find(ID)).isEmpty();
      assertThat(server.asked()).isEqualTo(2);
    }
  }

  /** A cache that others can write to may hold anything. */
  @Test
  void whatLiesInTheCacheIsChecked() throws Exception {
    Path own = Files.createDirectories(folder.resolve("cache").resolve(ID));
    Files.copy(Path.of("/bin/true"), own.resolve("debuginfo"));
    Debuginfod client = client("http://127.0.0.1:1");
    assertThat(client.find(ID)).isEmpty();
    assertThat(client.problems().getFirst()).contains("another build id");
    Files.delete(own.resolve("debuginfo"));
    Fixtures.run("mkfifo", own.resolve("debuginfo").toString());
    assertThat(client("http://127.0.0.1:1").find(ID)).isEmpty();
  }

  @Test
  void whatWasNotUsedForAWeekGoes() throws Exception {
    Path old = Files.createDirectories(folder.resolve("cache/aaaaaaaa")).resolve("debuginfo");
    Path young = Files.createDirectories(folder.resolve("cache/bbbbbbbb")).resolve("debuginfo");
    Path other = Files.writeString(folder.resolve("cache/max_unused_age_s"), "604800");
    Files.writeString(old, "old");
    Files.writeString(young, "young");
    Fixtures.run("touch", "-d", "8 days ago", old.toString());
    Fixtures.run("touch", "-d", "8 days ago", other.toString());
    client("http://127.0.0.1:1").find(ID);
    assertThat(old.getParent()).doesNotExist();
    assertThat(young).exists();
    assertThat(other).exists();
  }

  @Test
  void theEnvironmentSaysWhatOtherClientsKnow() {
    DebuginfodSettings none = DebuginfodSettings.of(Map.of("HOME", "/home/me"));
    assertThat(none.urls()).isEmpty();
    assertThat(none.cache()).isEqualTo(Path.of("/home/me/.cache/debuginfod_client"));
    assertThat(none.timeout()).isEqualTo(Duration.ofSeconds(10));
    DebuginfodSettings all =
        DebuginfodSettings.of(
            Map.of(
                "DEBUGINFOD_URLS", " https://a.example/  ima:enforcing http://b.example file:///c",
                "DEBUGINFOD_CACHE_PATH", "/var/c",
                "DEBUGINFOD_TIMEOUT", "33",
                "DEBUGINFOD_MAXSIZE", "4096",
                "XDG_CACHE_HOME", "/x"));
    assertThat(all)
        .isEqualTo(
            new DebuginfodSettings(
                List.of("https://a.example/", "http://b.example"),
                Path.of("/var/c"),
                Duration.ofSeconds(33),
                4096));
    assertThat(all.with("http://b.example").urls())
        .containsExactly("http://b.example", "https://a.example/");
    assertThat(DebuginfodSettings.of(Map.of("XDG_CACHE_HOME", "/x", "DEBUGINFOD_TIMEOUT", "x")))
        .isEqualTo(
            new DebuginfodSettings(
                List.of(), Path.of("/x/debuginfod_client"), Duration.ofSeconds(10), 2L << 30));
  }

  /**
   * Asks for two files and expects no response within the time, a reason, and nothing left over.
   */
  private void check(BadServer.Answer answer, String reason, int times) throws Exception {
    try (BadServer server = BadServer.start(answer)) {
      Debuginfod client = client(server.url());
      long start = System.nanoTime();
      assertThat(client.find(ID)).isEmpty();
      assertThat(client.find(ID)).isEmpty();
      assertThat(client.find(ID.replace('0', 'f'))).isEmpty();
      assertThat(System.nanoTime() - start).isLessThan(20 * 1_000_000_000L);
      assertThat(client.problems().getFirst()).contains(server.url()).contains(reason);
      assertThat(server.asked()).isEqualTo(times);
      assertThat(names(folder.resolve("cache"))).isEmpty();
    }
  }

  private static void head(OutputStream out, long length) throws IOException {
    out.write(
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + length + "\r\n\r\n")
            .getBytes(US_ASCII));
  }

  private Debuginfod client(String url) {
    return new Debuginfod(
        new DebuginfodSettings(
            List.of(url), folder.resolve("cache"), Duration.ofSeconds(seconds), 1 << 20));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).toList();
    }
  }

  private static void assertContent(Optional<DebugFile> found, Path expected) {
    try (DebugFile file = found.orElseThrow()) {
      assertThat(file.readable()).hasSameBinaryContentAs(expected);
    }
  }
}
