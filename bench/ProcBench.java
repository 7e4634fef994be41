import dev.plumb.linux.kernel.Kallsyms;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How fast /proc is read. Run: {@code java -cp target/classes --enable-native-access=ALL-UNNAMED
 * bench/ProcBench.java}. The kernel's share of kallsyms is what it takes to read the file and do
 * nothing with it.
 */
final class ProcBench {
  public static void main(String[] args) throws Exception {
    Path copy = Files.createTempFile("kallsyms", ".txt");
    Files.write(copy, Files.readAllBytes(Path.of(Kallsyms.FILE)));
    long lines;
    try (var all = Files.lines(copy)) {
      lines = all.count();
    }
    Kallsyms symbols = Kallsyms.load();
    for (int i = 0; i < 20; i++) {
      Kallsyms.load(copy.toString());
    }
    double parsing = best(20, () -> Kallsyms.load(copy.toString()));
    double whole = best(10, () -> Kallsyms.load());
    double kernel = best(10, () -> drain(Path.of(Kallsyms.FILE)));
    System.out.printf(
        "kallsyms: %d lines; parsing %.1f ms (%.1f ms for 100 000 lines), with the kernel's work"
            + " %.1f ms (reading alone %.1f ms)%n",
        lines, parsing, parsing * 100_000 / lines, whole, kernel);
    System.out.printf(
        "kallsyms: %d functions in %d bytes, %.1f each%n",
        symbols.size(), symbols.bytes(), (double) symbols.bytes() / symbols.size());
    Files.delete(copy);
    maps();
  }

  private static void maps() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (ProcReader reader = new ProcReader()) {
      int self = (int) ProcessHandle.current().pid();
      long[] lines = new long[1];
      ProcMaps.Visitor count = m -> lines[0] += m.executable() ? 1 : 0;
      for (int i = 0; i < 2000; i++) {
        ProcMaps.forEach(reader, self, count);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      for (int i = 0; i < 10_000; i++) {
        ProcMaps.forEach(reader, self, count);
      }
      double millis = (System.nanoTime() - start) / 1e6;
      long garbage = threads.getCurrentThreadAllocatedBytes() - before;
      System.out.printf(
          "maps: 10 000 times this process in %.0f ms, %.1f us and %d bytes of garbage each%n",
          millis, millis / 10, garbage / 10_000);
      int pids = ProcList.pids(reader).length;
      double stat =
          best(
              20,
              () -> {
                for (int pid : ProcList.pids(reader)) {
                  ProcStat.read(reader, pid);
                }
              });
      System.out.printf("stat: %d processes, %.1f us each%n", pids, stat * 1000 / pids);
    }
  }

  private static void drain(Path file) {
    try (var in = Files.newInputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      while (in.read(buffer) >= 0) {}
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static double best(int times, Runnable work) {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      work.run();
      best = Math.min(best, System.nanoTime() - start);
    }
    return best / 1e6;
  }
}
