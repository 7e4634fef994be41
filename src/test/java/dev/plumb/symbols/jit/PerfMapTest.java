package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.testing.OwnTime;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Perf maps as compilers write them and as nobody should. */
class PerfMapTest {
  private static final long MANY = 64L << 20;

  private final FileWindow window = new FileWindow();
  private final AddressRangeBatch batch = new AddressRangeBatch();
  private PerfMap map = new PerfMap(MANY);

  @TempDir Path folder;

  @AfterEach
  void close() {
    window.close();
  }

  @Test
  void readsLines() throws IOException {
    Path file =
        write("1000 10 first\n0x2000 0x20 int second(a b)\n00003000\t30\tthird\r\nabc F0 x\n");
    assertThat(at(file, 0x1000)).isEqualTo("first");
    assertThat(at(file, 0x100f)).isEqualTo("first");
    assertThat(at(file, 0x1010)).isEmpty();
    assertThat(at(file, 0xfff)).isEmpty();
    assertThat(at(file, 0x201f)).isEqualTo("int second(a b)");
    assertThat(at(file, 0x302f)).isEqualTo("third");
    assertThat(at(file, 0xb00)).isEqualTo("x");
    assertThat(map.count()).isEqualTo(4);
  }

  @Test
  void skipsWhatIsNoLine() throws IOException {
    Path file =
        write(
            "\n# comment\n1000\n1000 10\n1000 10 \n1000 0 empty\n1000 80000000 huge\n"
                + "ffff888000000000 10 kernel\n7fffffffffffffff 10 over\n-5 10 minus\n"
                + "11112222333344445 10 long\n1000 g0 nohex\n0x 10 none\n1000  10  good\n");
    assertThat(at(file, 0x1000)).isEqualTo("good");
    assertThat(map.count()).isEqualTo(1);
  }

  @Test
  void theLatestWins() throws IOException {
    Path file = write("1000 100 old\n1020 10 within\n1000 8 start\n2000 10 a\n2000 10 b\n");
    assertThat(at(file, 0x1000)).isEqualTo("start");
    assertThat(at(file, 0x1008)).isEqualTo("old");
    assertThat(at(file, 0x1020)).isEqualTo("within");
    assertThat(at(file, 0x1030)).isEqualTo("old");
    assertThat(at(file, 0x2000)).isEqualTo("b");
  }

  /** Only the new part is read: the old one is damaged in between without anybody noticing. */
  @Test
  void readsWhatWasAppended() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      lines.append(Integer.toHexString(0x1000 + i * 16)).append(" 10 f").append(i).append('\n');
    }
    Path file = write(lines + "9000 10 unfin");
    assertThat(at(file, 0x1010)).isEqualTo("f1");
    assertThat(at(file, 0x9000)).isEqualTo("unfin");
    byte[] bytes = Files.readAllBytes(file);
    bytes[0] = '7';
    Files.write(file, bytes);
    append(file, "ished\n1010 10 newer\n");
    assertThat(at(file, 0x1010)).isEqualTo("newer");
    assertThat(at(file, 0x9000)).isEqualTo("unfinished");
    assertThat(at(file, 0x7000)).as("the first line was read again").isEmpty();
    assertThat(at(file, 0x1000)).as("it is not what it was").isEmpty();
  }

  /** Grows in small and large steps, over old code and behind it, against painting. */
  @Test
  void growsInManySteps() throws IOException {
    int addresses = 40_000;
    int[] painted = new int[addresses];
    Random random = new Random(3);
    Path file = write("");
    int number = 0;
    for (int step = 0; step < 60; step++) {
      StringBuilder lines = new StringBuilder();
      for (int i = step % 10 == 0 ? 5000 : 1 + random.nextInt(20); i > 0; i--) {
        int start = random.nextInt(addresses - 16);
        int size = 1 + random.nextInt(16);
        Arrays.fill(painted, start, start + size, ++number);
        lines.append("%x %x f%d\n".formatted(start, size, number));
      }
      append(file, lines.toString());
      for (int i = 0; i < 50; i++) {
        int address = random.nextInt(addresses);
        assertThat(at(file, address))
            .isEqualTo(painted[address] == 0 ? "" : "f" + painted[address]);
      }
    }
    for (int address = 0; address < addresses; address++) {
      assertThat(at(file, address)).isEqualTo(painted[address] == 0 ? "" : "f" + painted[address]);
    }
  }

  /** As {@code jcmd Compiler.perfmap} does. */
  @Test
  void readsAllOfAFileThatWasRewritten() throws IOException {
    Path file = write("1000 10 a\n2000 10 b\n");
    assertThat(at(file, 0x1000)).isEqualTo("a");
    Files.writeString(file, "3000 10 cc\n4000 10 d\n5000 10 e\n");
    assertThat(at(file, 0x3000)).isEqualTo("cc");
    assertThat(at(file, 0x1000)).isEmpty();
    Files.writeString(file, "1000 10 a\n");
    assertThat(at(file, 0x1000)).isEqualTo("a");
    assertThat(map.count()).isEqualTo(1);
    Files.writeString(file, "6000 10 a\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(5));
    assertThat(at(file, 0x6000)).as("of the same size").isEqualTo("a");
  }

  @Test
  void cutsLongLines() throws IOException {
    String name = "n".repeat(FileWindow.SIZE * 3);
    Path file = write("1000 10 " + name + "\n2000 10 next\n3000 10 " + name);
    assertThat(at(file, 0x1000)).hasSize(PerfMap.MAX_LINE - "1000 10 ".length()).startsWith("nnn");
    assertThat(at(file, 0x2000)).isEqualTo("next");
    assertThat(at(file, 0x3000)).startsWith("nnn");
    append(file, "\n4000 10 last\n");
    assertThat(at(file, 0x4000)).isEqualTo("last");
    assertThat(map.count()).isEqualTo(4);
  }

  /** Ten million lines: as many as fit under the ceiling are kept. */
  @Test
  void staysUnderItsCeiling() throws IOException {
    Path file = folder.resolve("huge.map");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      byte[] line = "100000000 10 some.name.of.a.function\n".getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < 10_000_000; i++) {
        for (int digit = 0; digit < 8; digit++) {
          line[8 - digit] = (byte) "0123456789abcdef".charAt(i * 32 >>> 4 * digit & 15);
        }
        out.write(line);
      }
    }
    long ceiling = 8L << 20;
    map = new PerfMap(ceiling);
    long start = OwnTime.nanos();
    assertThat(at(file, 0x100000000L)).isEqualTo("some.name.of.a.function");
    long millis = (OwnTime.nanos() - start) / 1_000_000;
    System.out.printf(
        "%d of 10000000 lines in %d ms, %d bytes%n", map.count(), millis, map.bytes());
    assertThat(map.isFull()).isTrue();
    assertThat(map.bytes()).isLessThanOrEqualTo(ceiling);
    assertThat(map.count()).isGreaterThan(400_000);
    assertThat(millis).isLessThan(5000);
    long lastKept = 0x100000000L + (map.count() - 1) * 32L;
    assertThat(at(file, lastKept)).isEqualTo("some.name.of.a.function");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("perf.map"), text);
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.APPEND);
  }

  private String at(Path file, long address) {
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY)) {
      map.refresh(fd, SystemCalls.statx(fd), window, batch);
      return map.at(fd, window, address).map(JitFunction::text).orElse("");
    }
  }
}
