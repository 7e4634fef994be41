package dev.plumb.export;

import dev.plumb.testing.ExternalTools;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real recording by perf of a program whose hot functions are known. */
public final class PerfRun {
  private static final String PROGRAM =
      """
      static volatile long sink;
      __attribute__((noinline)) void burn_a(long n) { for (long i = 0; i < n; i++) sink += i; }
      __attribute__((noinline)) void burn_b(long n) { for (long i = 0; i < n; i++) sink ^= i; }
      __attribute__((noinline)) void deeper(int depth, long n) {
        if (depth) deeper(depth - 1, n); else burn_b(n);
        sink++;
      }
      int main(void) {
        for (int i = 0; i < 300; i++) { burn_a(600000); deeper(5, 400000); }
        return 0;
      }
      """;

  private PerfRun() {}

  /** What perf script prints of it. */
  public static String script(Path folder) throws Exception {
    Path perf = ExternalTools.need("perf");
    Path gcc = ExternalTools.need("gcc");
    Files.writeString(folder.resolve("burn.c"), PROGRAM);
    ExternalTools.runIn(
        folder, gcc, "-O1", "-g", "-fno-omit-frame-pointer", "burn.c", "-o", "burn");
    ExternalTools.runIn(
        folder,
        perf,
        "record",
        "-q",
        "-e",
        "cpu-clock",
        "-F",
        "999",
        "-g",
        "-o",
        "perf.data",
        "--",
        "./burn");
    return ExternalTools.runIn(folder, perf, "script", "-i", "perf.data");
  }
}
