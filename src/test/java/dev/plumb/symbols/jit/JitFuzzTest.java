package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SystemCalls;
import dev.plumb.testing.OwnTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damages maps and dumps in many ways: every question is answered, soon, and little is kept. */
class JitFuzzTest {
  private static final int MUTANTS = 50_000;
  private static final long MOST_CPU_NANOS = 500_000_000L;
  private static final long CEILING = 1 << 20;
  private static final int FUNCTIONS = 8;

  private final FileWindow window = new FileWindow();
  private final AddressRangeBatch batch = new AddressRangeBatch();
  private long slowest;
  private int rounds;
  private int answers;
  private int different;

  /** In memory: a file that is written again and again would wait for the disk. */
  private Path path;

  @BeforeEach
  void open() throws IOException {
    path = Files.createTempFile(Path.of("/dev/shm"), "plumb", ".mutant");
  }

  @AfterEach
  void close() throws IOException {
    window.close();
    Files.delete(path);
  }

  @Test
  void maps() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < FUNCTIONS; i++) {
      lines.append(Integer.toHexString(0x1000 + i * 64)).append(" 40 JS:*f").append(i);
      lines.append(" /a b/c.js:").append(i + 1).append(":3\n");
    }
    byte[] right = lines.toString().getBytes(StandardCharsets.UTF_8);
    PerfMap map = new PerfMap(CEILING);
    mutate(
        right,
        MUTANTS,
        (file, identity) -> {
          if (rounds++ % 4 == 0) {
            // What is known is of another file: rewritten under us, then read on.
            ask(map, file);
            map.refresh(file, identity, window, batch);
            ask(map, file);
          }
          map.reset();
          map.refresh(file, identity, window, batch);
          assertThat(map.bytes()).isLessThan(CEILING);
          return ask(map, file);
        });
  }

  private int ask(PerfMap map, Fd file) {
    int named = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
      boolean found =
          map.at(file, window, 0x1000 + i * 64L).filter(f -> f.name().startsWith("f")).isPresent();
      named += found ? 1 : 0;
    }
    return named;
  }

  @Test
  void dumps() throws IOException {
    byte[] right = dump(ByteOrder.LITTLE_ENDIAN);
    JitDump dump = new JitDump(CEILING);
    mutate(right, MUTANTS / 2, (file, identity) -> ask(dump, file, identity));
    mutate(dump(ByteOrder.BIG_ENDIAN), MUTANTS / 2, (file, identity) -> ask(dump, file, identity));
  }

  private int ask(JitDump dump, Fd file, FileIdentity identity) {
    if (rounds++ % 4 == 0) {
      ask(dump, file);
      dump.refresh(file, identity, window);
      ask(dump, file);
    }
    dump.reset();
    dump.refresh(file, identity, window);
    assertThat(dump.bytes()).isLessThan(CEILING);
    return ask(dump, file);
  }

  private int ask(JitDump dump, Fd file) {
    int named = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
      long address = 0x1000 + i * 64L;
      boolean old =
          dump.at(file, window, address + 20, 150)
              .filter(f -> f.name().startsWith("f") && f.line() == 8)
              .isPresent();
      boolean moved =
          dump.at(file, window, address + 0x10000, 1L << 40)
              .filter(f -> f.name().startsWith("f"))
              .isPresent();
      named += (old ? 1 : 0) + (moved ? 1 : 0);
    }
    return named;
  }

  /** Functions with lines, half of which move. */
  private static byte[] dump(ByteOrder order) {
    ByteBuffer out = ByteBuffer.allocate(1 << 14).order(order);
    out.putInt(0x4a695444).putInt(1).putInt(40).putInt(62).putInt(0).putInt(1);
    out.putLong(0).putLong(0);
    for (int i = 0; i < FUNCTIONS; i++) {
      long address = 0x1000 + i * 64L;
      out.putInt(2).putInt(32 + 16 + 5 + 16 + 2).putLong(100).putLong(address).putLong(2);
      out.putLong(address).putInt(7).putInt(0).put("a.js\0".getBytes(StandardCharsets.UTF_8));
      out.putLong(address + 16).putInt(8).putInt(0).put((byte) 0xff).put((byte) 0);
      byte[] name = ("f" + i + "\0").getBytes(StandardCharsets.UTF_8);
      out.putInt(0).putInt(56 + name.length + 64).putLong(100 + i).putInt(1).putInt(1);
      out.putLong(address).putLong(address).putLong(64).putLong(i).put(name).put(new byte[64]);
      if (i % 2 == 0) {
        out.putInt(1).putInt(64).putLong(200 + i).putInt(1).putInt(1).putLong(address);
        out.putLong(address).putLong(address + 0x10000).putLong(64).putLong(i);
      }
    }
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  /** How many names a file gave. */
  private interface Question {
    int ask(Fd file, FileIdentity identity);
  }

  private void mutate(byte[] right, int mutants, Question question) throws IOException {
    answers = 0;
    different = 0;
    slowest = 0;
    int all = named(right, question);
    assertThat(all).isGreaterThanOrEqualTo(FUNCTIONS);
    for (int n = 0; n < mutants; n++) {
      byte[] mutant = mutant(right, new Random(n));
      long start = OwnTime.nanos();
      try {
        int named = named(mutant, question);
        answers += named;
        different += named == all ? 0 : 1;
      } catch (Throwable t) {
        throw new AssertionError("mutant " + n, t);
      }
      slowest = Math.max(slowest, OwnTime.nanos() - start);
    }
    System.out.printf(
        "%d mutants, the slowest %d us: %d names of %d, %d mutants with fewer%n",
        mutants, slowest / 1000, answers, (long) all * mutants, different);
    assertThat(slowest).isLessThan(MOST_CPU_NANOS);
    assertThat(answers).isGreaterThan(mutants);
    assertThat(different).isGreaterThan(mutants / 10);
  }

  private int named(byte[] bytes, Question question) throws IOException {
    Files.write(path, bytes);
    try (Fd file = SystemCalls.open(path.toString(), SystemCalls.O_RDONLY)) {
      return question.ask(file, SystemCalls.statx(file));
    }
  }

  private static byte[] mutant(byte[] right, Random random) {
    byte[] bytes = right.clone();
    for (int times = 1 + random.nextInt(4); times > 0; times--) {
      int at = random.nextInt(bytes.length - 8);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> Arrays.fill(bytes, at, at + 1 + random.nextInt(8), (byte) -1);
        case 3 -> Arrays.fill(bytes, at, at + 1 + random.nextInt(8), (byte) 0);
        default -> {
          int from = random.nextInt(bytes.length - 8);
          int length = Math.min(1 + random.nextInt(64), bytes.length - Math.max(from, at));
          System.arraycopy(right, from, bytes, at, length);
        }
      }
    }
    return random.nextInt(10) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }
}
