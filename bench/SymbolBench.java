import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.Symbolizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * How fast symbol tables load and addresses are named. Run: {@code java -cp target/classes
 * --enable-native-access=ALL-UNNAMED bench/SymbolBench.java FILE…}; for each file the first load of
 * this JVM, the best of ten, the memory, and random lookups in the file.
 */
final class SymbolBench {
  public static void main(String[] files) throws Exception {
    System.out.printf(
        "%-40s %8s %8s %9s %6s %9s %7s%n",
        "file", "first ms", "best ms", "bytes", "MB", "ns/lookup", "named");
    for (String name : files) {
      Path path = Path.of(name).toRealPath();
      long size = Files.size(path);
      double first = 0;
      double best = Double.MAX_VALUE;
      long bytes = 0;
      for (int i = 0; i < 10; i++) {
        try (Fd fd = SystemCalls.open(path.toString(), SystemCalls.O_RDONLY);
            Symbolizer symbolizer = new Symbolizer(64L << 20)) {
          Mapping mapping = mapping(path, fd, size);
          long start = System.nanoTime();
          symbolizer.user(mapping, mapping.start(), false);
          double millis = (System.nanoTime() - start) / 1e6;
          first = i == 0 ? millis : first;
          best = Math.min(best, millis);
          bytes = symbolizer.tableBytes();
          if (i == 9) {
            lookups(path, first, best, bytes, symbolizer, mapping, size);
          }
        }
      }
    }
  }

  private static void lookups(
      Path path,
      double first,
      double best,
      long bytes,
      Symbolizer symbolizer,
      Mapping mapping,
      long size) {
    Random random = new Random(1);
    int times = 20_000;
    int named = 0;
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      Frame frame =
          symbolizer.user(mapping, mapping.start() + random.nextLong(size), false).getFirst();
      named += frame.named() ? 1 : 0;
    }
    long nanos = (System.nanoTime() - start) / times;
    System.out.printf(
        "%-40s %8.1f %8.1f %9d %6.0f %9d %6.1f%%%n",
        path.getFileName(), first, best, bytes, size / 1e6, nanos, 100.0 * named / times);
  }

  private static Mapping mapping(Path path, Fd fd, long size) {
    BackingFile file = BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
    return new Mapping(0x7f00_0000_0000L, 0x7f00_0000_0000L + size, 0, file);
  }
}
