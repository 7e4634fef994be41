import dev.plumb.linux.Clock;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.symbols.jit.JitProcess;
import dev.plumb.symbols.jit.JitSymbols;
import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * How fast a perf map loads, grows and answers. Run: {@code java -XX:TieredStopAtLevel=1 -Xmx160m
 * -cp target/classes --enable-native-access=ALL-UNNAMED bench/JitBench.java [LINES]}: a map of this
 * process in /tmp, a tenth of whose code lies where older code was, in random order.
 */
final class JitBench {
  private static final int BYTES_A_LINE = 100;

  public static void main(String[] arguments) throws Exception {
    int lines = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 500_000;
    int pid = (int) ProcessHandle.current().pid();
    Path map = Path.of("/tmp/perf-" + pid + ".map");
    try {
      for (boolean random : new boolean[] {false, true}) {
        write(map, lines, random);
        run(map, pid, lines, random);
      }
    } finally {
      Files.deleteIfExists(map);
    }
  }

  private static void run(Path map, int pid, int lines, boolean random) throws Exception {
    JitProcess process = process(pid);
    for (int i = 0; i < 3; i++) {
      try (JitSymbols symbols = new JitSymbols(64L << 20)) {
        long start = System.nanoTime();
        symbols.notice(process);
        long read = System.nanoTime() - start;
        append(map);
        start = System.nanoTime();
        symbols.notice(process);
        long grown = System.nanoTime() - start;
        Random addresses = new Random(1);
        int named = 0;
        int times = 100_000;
        start = System.nanoTime();
        for (int n = 0; n < times; n++) {
          long address = 0x7f0000000000L + addresses.nextLong(lines * 64L);
          named += symbols.at(process, address, 1).isPresent() ? 1 : 0;
        }
        long asked = System.nanoTime() - start;
        System.out.printf(
            "%s order: %d MB, %d lines read in %d ms, one more in %d us, %d spans, %.1f MB kept,"
                + " %d ns a lookup, %d of %d named%n",
            random ? "random" : "rising",
            Files.size(map) >> 20,
            lines,
            read / 1_000_000,
            grown / 1000,
            symbols.functions(process),
            symbols.bytes() / 1e6,
            asked / times,
            named,
            times);
        symbols.problems().forEach(System.out::println);
      }
    }
  }

  private static JitProcess process(int pid) {
    Clock clock = Clock.take();
    try (ProcReader reader = new ProcReader()) {
      long boot = ProcStat.read(reader, pid).orElseThrow().startBootNanos();
      long start = clock.wallOfBoot(boot) - clock.monotonicOffset();
      return new JitProcess(pid, start, start);
    }
  }

  private static void write(Path map, int lines, boolean anyOrder) throws Exception {
    Random random = new Random(7);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(map), 1 << 20)) {
      for (int i = 0; i < lines; i++) {
        boolean reused = random.nextInt(10) == 0;
        long place = anyOrder || reused ? random.nextInt(lines) * 64L + random.nextInt(32) : i * 64L;
        String line = "%x 40 JS:*function%d ".formatted(0x7f0000000000L + place, i);
        out.write((line + "/".repeat(BYTES_A_LINE - line.length() - 1) + "\n").getBytes(
            StandardCharsets.US_ASCII));
      }
    }
  }

  private static void append(Path map) throws Exception {
    Files.writeString(map, "1000 10 more\n", java.nio.file.StandardOpenOption.APPEND);
  }
}
