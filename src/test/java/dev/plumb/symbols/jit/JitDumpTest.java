package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.process.BackingFiles;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.process.ProcessTable;
import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A compiler of ours that writes a dump and moves its code; perf as the judge. */
@RequiresRoot
@EnabledOnOs(architectures = "amd64", value = OS.LINUX, disabledReason = "the code is x86-64's")
class JitDumpTest {
  /** A stretch of time in which code ran somewhere. */
  private record Stretch(String name, long address, int size, long from, long to) {
    static Stretch of(String line) {
      String[] parts = line.split(" ");
      return new Stretch(
          parts[0],
          Long.parseLong(parts[1], 16),
          Integer.parseInt(parts[2], 16),
          Long.parseLong(parts[3]),
          Long.parseLong(parts[4]));
    }
  }

  private static final Pattern SAMPLE = Pattern.compile("\\s*(\\d+)\\.(\\d{9}):\\s+(\\w+) (.*)");
  private static final Pattern LINE = Pattern.compile("\\s+.*:(\\d+)");

  @TempDir Path folder;

  @Test
  void namesCodeAsItWasThen() throws Exception {
    namesCode();
  }

  @Test
  void readsTheOtherByteOrder() throws Exception {
    namesCode("swap");
  }

  private void namesCode(String... arguments) throws Exception {
    try (Child child = start(arguments);
        JitSymbols symbols = new JitSymbols()) {
      JitProcess process = Processes.of(child.pid());
      List<Stretch> stretches = stretches(child);
      assertThat(stretches).hasSize(4);
      for (Stretch stretch : stretches) {
        for (long time : new long[] {stretch.from(), stretch.to()}) {
          for (int offset : new int[] {0, 5, stretch.size() - 1}) {
            JitFunction function =
                symbols.at(process, stretch.address() + offset, time).orElseThrow();
            assertThat(function.name()).startsWith(stretch.name());
            assertThat(function.processAddress()).isEqualTo(stretch.address());
            assertThat(function.size()).isEqualTo(stretch.size());
            checkLine(function, offset);
          }
          assertThat(symbols.at(process, stretch.address() + stretch.size(), time)).isEmpty();
        }
      }
      Stretch moved = stretches.get(1);
      assertThat(symbols.at(process, moved.address(), stretches.getLast().to()))
          .as("it has moved on")
          .isEmpty();
      assertThat(symbols.functions(process)).isEqualTo(4);
      assertThat(symbols.problems()).isEmpty();
    }
  }

  private static void checkLine(JitFunction function, int offset) {
    if (function.name().equals("alpha")) {
      assertThat(function.exactLine()).isTrue();
      assertThat(function.line()).isEqualTo(offset == 0 ? 10 : offset == 5 ? 11 : 12);
      assertThat(function.file()).isEqualTo(offset <= 5 ? "alpha.js" : "other.js");
    } else {
      assertThat(function.text()).isEqualTo("beta with blanks");
      assertThat(function.line()).isZero();
    }
  }

  /** Held open: what was seen in time has names when the process and the file are gone. */
  @Test
  void knowsItAfterItsEnd() throws Exception {
    JitProcess process;
    List<Stretch> stretches;
    try (JitSymbols symbols = new JitSymbols()) {
      try (Child child = start()) {
        process = Processes.of(child.pid());
        stretches = stretches(child);
        symbols.notice(process);
      }
      Files.delete(folder.resolve("jit-" + process.pid() + ".dump"));
      Stretch beta = stretches.get(2);
      assertThat(symbols.at(process, beta.address(), beta.to()).orElseThrow().name())
          .isEqualTo("beta with blanks");
    }
  }

  /** By the mapping that was seen in time, if nobody asked before its end. */
  @Test
  void findsTheDumpOfAnImage() throws Exception {
    try (BackingFiles files = new BackingFiles(100);
        ProcessFinder finder = new ProcessFinder(new ProcessTable(), files);
        JitSymbols symbols = new JitSymbols()) {
      ProcessImage image;
      Stretch beta;
      try (Child child = start()) {
        beta = stretches(child).get(2);
        image = finder.find(child.pid(), Processes.now()).orElseThrow();
      }
      assertThat(symbols.at(image, beta.address(), beta.to()).orElseThrow().name())
          .isEqualTo("beta with blanks");
      assertThat(symbols.at(image, beta.address() + beta.size(), beta.to())).isEmpty();
    }
  }

  @Test
  void readsAsFarAsItIsWhole() throws Exception {
    try (Child child = start();
        JitSymbols symbols = new JitSymbols()) {
      JitProcess process = Processes.of(child.pid());
      List<Stretch> stretches = stretches(child);
      Path dump = folder.resolve("jit-" + child.pid() + ".dump");
      try (RandomAccessFile file = new RandomAccessFile(dump.toFile(), "rw")) {
        file.setLength(file.length() - 1);
      }
      Stretch last = stretches.getLast();
      assertThat(symbols.at(process, last.address(), last.to())).as("its record is cut").isEmpty();
      Stretch beta = stretches.get(2);
      assertThat(symbols.at(process, beta.address(), beta.to())).isPresent();
    }
  }

  @Test
  void agreesWithPerf() throws Exception {
    Path program = Programs.compiled("jitdump");
    Path data = folder.resolve("perf.data");
    Path cache = folder.resolve("cache"); // else it leaves files in the home folder
    String output =
        shell(
            "perf --buildid-dir %s record -q -F 2000 -k mono -o %s %s %s </dev/null",
            cache, data, program, folder);
    assertThat(output).contains("done");
    shell("perf --buildid-dir %s inject --jit -i %s -o %s.jit", cache, data, data);
    String script =
        shell("perf --buildid-dir %s script -i %s.jit --ns -F time,ip,sym,srcline", cache, data);
    Path dump;
    try (Stream<Path> files = Files.list(folder)) {
      dump = files.filter(f -> MappedJitDump.isDump(f.toString())).findFirst().orElseThrow();
    }
    List<String> differences = new ArrayList<>();
    int samples = 0;
    try (DumpOnDisk ours = new DumpOnDisk(dump)) {
      List<String> lines = script.lines().toList();
      for (int i = 0; i + 1 < lines.size(); i++) {
        Matcher sample = SAMPLE.matcher(lines.get(i));
        if (!sample.matches() || !sample.group(4).matches("alpha.*|beta.*")) {
          continue;
        }
        samples++;
        long time =
            Long.parseLong(sample.group(1)) * 1_000_000_000L + Long.parseLong(sample.group(2));
        Optional<JitFunction> function = ours.at(Long.parseLong(sample.group(3), 16), time);
        Matcher line = LINE.matcher(lines.get(i + 1));
        // perf 6.1 takes the mark of a repeated file name for a name; its lines are right.
        String theirs = sample.group(4) + ":" + (line.matches() ? line.group(1) : "0");
        String our = function.map(f -> f.name() + ":" + f.line()).orElse("");
        if (!our.equals(theirs)) {
          differences.add(lines.get(i) + " | " + our + " | " + theirs);
        }
      }
    }
    System.out.printf("%d samples, %d differ%n", samples, differences.size());
    assertThat(differences).isEmpty();
    assertThat(samples).isGreaterThan(100);
  }

  private static String shell(String command, Object... arguments) {
    return Programs.run("sh", "-c", command.formatted(arguments));
  }

  private Child start(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Programs.compiled("jitdump").toString());
    command.add(folder.toString());
    command.addAll(List.of(arguments));
    return Child.start(command.toArray(String[]::new));
  }

  private static List<Stretch> stretches(Child child) {
    List<Stretch> stretches = new ArrayList<>();
    for (String line = child.line(); !line.equals("done"); line = child.line()) {
      stretches.add(Stretch.of(line));
    }
    return stretches;
  }
}
