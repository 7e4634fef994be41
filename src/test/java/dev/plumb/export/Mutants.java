package dev.plumb.export;

import static org.assertj.core.api.Assertions.fail;

import dev.plumb.export.file.RecordingReader;
import dev.plumb.export.wire.FormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/** Damages files at random and sees that readers give a recording or a FormatException. */
public final class Mutants {
  private Mutants() {}

  public static void check(byte[] original, int count, long seed, RecordingReader reader)
      throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < count; i++) {
      readOrRefuse(mutate(original, random), reader, "mutant " + i + " of seed " + seed);
    }
  }

  public static void readOrRefuse(byte[] bytes, RecordingReader reader, String name)
      throws IOException {
    try {
      reader.read(new ByteArrayInputStream(bytes)).recording().close();
    } catch (FormatException e) {
      if (e.getMessage().isBlank() || e.getMessage().contains("\n")) {
        fail("%s: the message is not one line: %s", name, e.getMessage());
      }
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fail(name, e);
    }
  }

  static byte[] mutate(byte[] original, Random random) {
    byte[] bytes = original.clone();
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> bytes[at] = (byte) 0xff;
        case 3 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        case 4 -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(bytes.length - Math.max(from, at), 1 + random.nextInt(40));
          System.arraycopy(bytes, from, bytes, at, length);
        }
        default -> {
          int to = Math.min(bytes.length, at + 1 + random.nextInt(12));
          for (int j = at; j < to; j++) {
            bytes[j] = (byte) (random.nextBoolean() ? 0xff : 0x80);
          }
        }
      }
    }
    return bytes;
  }
}
