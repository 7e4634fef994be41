import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.symbols.Symbolizer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What the index in the user's cache folder gives: each file is looked at by a process without a
 * cache folder, by one that finds it empty, and by one after that. Run: {@code java -cp
 * target/classes --enable-native-access=ALL-UNNAMED bench/SecondLook.java FILE…}; the time to the
 * first name in each, the same in a JVM that has its classes (without an index, with one), the time
 * of a further name, the heap that tables take, and how many of a thousand names are equal.
 */
final class SecondLook {
  private static final int ADDRESSES = 1000;
  private static final int TIMES = 3;

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 2 && arguments[0].equals("--child")) {
      look(Path.of(arguments[1]).toRealPath());
      return;
    }
    System.out.printf(
        "%-20s %8s %8s %9s %12s %11s %10s %8s %6s%n",
        "file", "none ms", "first ms", "second ms", "warm ms", "us each", "kept kB", "index kB",
        "equal");
    for (String file : arguments) {
      compare(file);
    }
  }

  /** What a process says: milliseconds to the first name, again, microseconds each, bytes, names. */
  private record Answer(double first, double again, double each, long bytes, List<String> names) {}

  private static void compare(String file) throws Exception {
    List<Answer> without = new ArrayList<>();
    List<Answer> first = new ArrayList<>();
    List<Answer> second = new ArrayList<>();
    long index = 0;
    for (int i = 0; i < TIMES; i++) {
      Path cache = Files.createTempDirectory("second-look");
      without.add(ask("", file));
      first.add(ask(cache.toString(), file));
      second.add(ask(cache.toString(), file));
      index = remove(cache);
    }
    int equal = 0;
    for (int i = 0; i < ADDRESSES; i++) {
      String name = without.getFirst().names().get(i);
      boolean same = first.getFirst().names().get(i).equals(name);
      equal += same && second.getFirst().names().get(i).equals(name) ? 1 : 0;
    }
    System.out.printf(
        "%-20s %8.1f %8.1f %9.1f %6.1f/%5.1f %5.0f/%5.0f %5d/%4d %8d %6d%n",
        Path.of(file).getFileName(), median(without).first(), median(first).first(),
        median(second).first(), median(without).again(), median(second).again(),
        median(without).each(), median(second).each(),
        without.getFirst().bytes() / 1024, second.getFirst().bytes() / 1024, index / 1024, equal);
  }

  private static Answer median(List<Answer> answers) {
    return answers.stream().sorted(Comparator.comparing(Answer::first)).toList().get(TIMES / 2);
  }

  private static Answer ask(String cache, String file) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "bench/SecondLook.java",
            "--child",
            file);
    builder.environment().put("XDG_CACHE_HOME", cache);
    builder.environment().put("HOME", "");
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the child failed: " + lines);
    }
    String[] figures = lines.getFirst().split(" ");
    return new Answer(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]),
        Double.parseDouble(figures[2]),
        Long.parseLong(figures[3]),
        lines.subList(1, lines.size()));
  }

  private static void look(Path path) throws Exception {
    List<Long> offsets = new ArrayList<>();
    Random random = new Random(3);
    try (ElfFile elf = ElfFile.open(path)) {
      Section text = elf.section(".text").orElseThrow();
      for (int i = 0; i < ADDRESSES; i++) {
        offsets.add(text.fileOffset() + random.nextLong(text.size()));
      }
    }
    double first = 0;
    for (boolean again : new boolean[] {false, true}) {
      Fd fd = SystemCalls.open(path.toString(), SystemCalls.O_RDONLY);
      try (BackingFile backing = BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
          Symbolizer symbolizer = new Symbolizer()) {
        Mapping whole = new Mapping(0, Long.MAX_VALUE, 0, backing);
        long start = System.nanoTime();
        String name = text(symbolizer.user(whole, offsets.getFirst(), false));
        double millis = (System.nanoTime() - start) / 1e6;
        if (again) {
          tell(symbolizer, whole, offsets, name, first + " " + millis);
        }
        first = millis;
      }
    }
  }

  private static void tell(
      Symbolizer symbolizer, Mapping whole, List<Long> offsets, String first, String figures) {
    List<String> names = new ArrayList<>(List.of(first));
    long start = System.nanoTime();
    for (long offset : offsets.subList(1, ADDRESSES)) {
      names.add(text(symbolizer.user(whole, offset, false)));
    }
    double each = (System.nanoTime() - start) / 1e3 / (ADDRESSES - 1);
    System.out.println(figures + " " + each + " " + symbolizer.tableBytes());
    names.forEach(System.out::println);
  }

  private static String text(List<Frame> frames) {
    StringBuilder text = new StringBuilder();
    for (Frame frame : frames) {
      text.append(frame.name()).append('+').append(frame.offset()).append(' ');
      text.append(frame.file()).append(':').append(frame.line()).append(frame.inlined()).append(';');
    }
    return text.toString();
  }

  private static long remove(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        bytes += Files.isRegularFile(path) ? Files.size(path) : 0;
        Files.delete(path);
      }
    }
    return bytes;
  }
}
