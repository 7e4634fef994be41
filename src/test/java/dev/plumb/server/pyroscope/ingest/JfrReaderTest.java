package dev.plumb.server.pyroscope.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JfrReaderTest {
  private static final IngestService.Window WINDOW =
      new IngestService.Window(1_000_000_000L, 1_000_000_000L, 100);

  private static byte[] recorded;
  private static volatile long sink;

  /** This JVM's own recording of a busy method. */
  @BeforeAll
  static void record(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("own.jfr");
    try (jdk.jfr.Recording recording = new jdk.jfr.Recording()) {
      recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
      recording.enable("jdk.ObjectAllocationSample").with("throttle", "100/s");
      recording.start();
      busyForTheRecording(System.nanoTime() + 1_500_000_000L);
      recording.stop();
      recording.dump(file);
    }
    recorded = Files.readAllBytes(file);
  }

  // JFR takes a sample where the thread next asks for a safepoint, and Serial asks for none in a
  // loop that counts: one that counted would leave its samples to its caller.
  private static void busyForTheRecording(long end) {
    while (System.nanoTime() < end) {
      sink = sink * 31 + new byte[1000].length;
    }
  }

  @Test
  void readsTheJvmsOwn() {
    try (Recording recording = JfrReader.read(recorded, WINDOW, IngestLimits.DEFAULT)) {
      Profile cpu =
          recording.profiles().stream()
              .filter(profile -> profile.name().equals("process_cpu"))
              .findFirst()
              .orElseThrow();
      assertThat(cpu.total(0)).isGreaterThan(300_000_000L);
      assertThat(cpu.stacks().frames())
          .anyMatch(
              frame -> frame.name().equals(JfrReaderTest.class.getName() + ".busyForTheRecording"));
    }
  }

  /** Damage is told, soon, and leaves no file. */
  @Test
  void mutantsAreReadOrRefused() throws Exception {
    Random random = new Random(3);
    long before = left();
    int refused = 0;
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < 400; i++) {
        byte[] mutant = mutant(random);
        refused += thread.submit(() -> read(mutant)).get(20, TimeUnit.SECONDS) ? 0 : 1;
      }
    }
    assertThat(refused).isGreaterThan(50);
    for (int i = 0; i < 100 && left() > before; i++) {
      Thread.sleep(100); // another test may be reading one at this moment
    }
    assertThat(left()).isLessThanOrEqualTo(before);
    assertThatThrownBy(() -> JfrReader.read(new byte[100], WINDOW, IngestLimits.DEFAULT))
        .isInstanceOf(FormatException.class);
  }

  private static boolean read(byte[] bytes) {
    try (Recording recording = JfrReader.read(bytes, WINDOW, IngestLimits.DEFAULT)) {
      return !recording.profiles().isEmpty();
    } catch (FormatException e) {
      return false;
    }
  }

  private static byte[] mutant(Random random) {
    byte[] mutant = recorded.clone();
    switch (random.nextInt(4)) {
      case 0 -> mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length));
      case 1 -> {
        int at = random.nextInt(mutant.length - 8);
        Arrays.fill(mutant, at, at + 1 + random.nextInt(8), (byte) 0xff);
      }
      // The header and what follows it: sizes and offsets.
      case 2 -> mutant[random.nextInt(200)] = (byte) random.nextInt();
      default -> {
        for (int i = random.nextInt(50); i >= 0; i--) {
          mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
      }
    }
    return mutant;
  }

  private static long left() {
    File[] files = new File(System.getProperty("java.io.tmpdir")).listFiles();
    return files == null
        ? 0
        : List.of(files).stream()
            .filter(f -> f.getName().startsWith("plumb-") && f.getName().endsWith(".jfr"))
            .count();
  }
}
