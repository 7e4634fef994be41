package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Child;
import dev.plumb.testing.Jvm;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node, HotSpot and CPython: the names perf shows for samples of their code are ours too. */
@RequiresRoot
class RealCompilersTest {
  private static final Path TARGETS = Path.of("src/test/targets").toAbsolutePath();

  private final List<Path> left = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void tidy() throws IOException {
    for (Path file : left) {
      Files.deleteIfExists(file);
    }
  }

  @Test
  void nodeWithAPerfMap() {
    try (Child node = node("--perf-basic-prof");
        JitSymbols symbols = new JitSymbols()) {
      Map<String, Integer> found = compareWithPerf(node.pid(), symbols);
      assertThat(found).containsKey("hotInner");
      JitFunction inner =
          any(node.pid(), symbols, f -> f.name().equals("hotInner") && f.tier().equals("*"));
      assertThat(inner.text()).startsWith("JS:*hotInner " + TARGETS + "/hot.js:2:");
      assertThat(inner.file()).isEqualTo(TARGETS + "/hot.js");
      assertThat(inner.line()).isEqualTo(2);
      assertThat(symbols.problems()).isEmpty();
    }
  }

  /** The dump is in the process's folder, which is not {@code /tmp}, and mapped by it. */
  @Test
  void nodeWithADump() {
    try (Child node = node("--perf-prof");
        JitSymbols symbols = new JitSymbols()) {
      JitProcess process = Processes.of(node.pid());
      List<long[]> code = Processes.anonymousCode(node.pid());
      Map<String, Integer> found = new HashMap<>();
      for (long address : samples(node.pid())) {
        if (Processes.isIn(code, address)) {
          String name =
              symbols.at(process, address, Processes.now()).map(JitFunction::name).orElse("");
          found.merge(name, 1, Integer::sum);
        }
      }
      System.out.println("node --perf-prof: " + found);
      assertThat(found.getOrDefault("hotInner", 0)).isGreaterThan(50);
      assertThat(found.getOrDefault("", 0)).isLessThan(10);
      assertThat(symbols.functions(process)).isGreaterThan(100);
      assertThat(anyNamed(node.pid(), symbols, "hotInner").file()).isEqualTo(TARGETS + "/hot.js");
    }
  }

  @Test
  void hotSpot() {
    String java = Jvm.java().toString();
    try (Child jvm =
            Child.start(java, "-XX:TieredStopAtLevel=1", "-XX:-Inline", TARGETS + "/Hot.java");
        JitSymbols symbols = new JitSymbols()) {
      assertThat(jvm.line()).isEqualTo("ready");
      left.add(Path.of("/tmp/perf-" + jvm.pid() + ".map"));
      Path jcmd = Jvm.java().resolveSibling("jcmd");
      JitProcess process = Processes.of(jvm.pid());
      assertThat(symbols.at(process, 0x1000, Processes.now())).isEmpty();
      Programs.run(jcmd.toString(), Integer.toString(jvm.pid()), "Compiler.perfmap");
      Map<String, Integer> found = compareWithPerf(jvm.pid(), symbols);
      assertThat(found.keySet()).anyMatch(n -> n.contains("Hot.hotInner("));
      // Written anew, not appended to.
      Programs.run(jcmd.toString(), Integer.toString(jvm.pid()), "Compiler.perfmap");
      compareWithPerf(jvm.pid(), symbols);
    }
  }

  @Test
  void python() throws IOException {
    String python =
        pythonWithPerf()
            .orElseGet(() -> Assumptions.abort("no Python from 3.12 on, which have -X perf"));
    try (Child child = Child.start(python, "-X", "perf", TARGETS + "/hot.py");
        JitSymbols symbols = new JitSymbols()) {
      assertThat(child.line()).isEqualTo("ready");
      left.add(Path.of("/tmp/perf-" + child.pid() + ".map"));
      JitFunction inner = anyNamed(child.pid(), symbols, "hot_inner");
      assertThat(inner.file()).isEqualTo(TARGETS + "/hot.py");
      assertThat(anyNamed(child.pid(), symbols, "Hot.hot_outer").text())
          .isEqualTo("py::Hot.hot_outer:" + TARGETS + "/hot.py");
    }
  }

  private static Optional<String> pythonWithPerf() throws IOException {
    List<String> candidates = new ArrayList<>(List.of("python3"));
    Path versions = Path.of(System.getProperty("user.home"), ".pyenv", "versions");
    if (Files.isDirectory(versions)) {
      try (Stream<Path> found = Files.list(versions)) {
        found.forEach(v -> candidates.add(v.resolve("bin/python3").toString()));
      }
    }
    for (String candidate : candidates) {
      String check = "import sys; sys.exit(sys.version_info < (3, 12))";
      try {
        Programs.run("sh", "-c", "exec " + candidate + " -c '" + check + "' 2>/dev/null");
        return Optional.of(candidate);
      } catch (AssertionError e) {
        // Too old, or not there.
      }
    }
    return Optional.empty();
  }

  private Child node(String option) {
    Child node =
        Child.start(
            "env",
            "-C",
            folder.toString(),
            "node",
            option,
            "--no-turbo-inlining",
            TARGETS + "/hot.js");
    left.add(Path.of("/tmp/perf-" + node.pid() + ".map"));
    assertThat(node.line()).isEqualTo("ready");
    return node;
  }

  private List<Long> samples(int pid) {
    List<Long> samples = new ArrayList<>();
    for (String line : perf(pid, "ip").lines().toList()) {
      samples.add(Long.parseUnsignedLong(line.strip(), 16));
    }
    return samples;
  }

  private String perf(int pid, String fields) {
    Path data = folder.resolve("perf.data");
    String perf = "perf --buildid-dir " + folder.resolve("cache");
    Programs.run(
        "sh", "-c", perf + " record -q -F 1000 -p " + pid + " -o " + data + " sleep 1 2>/dev/null");
    return Programs.run("sh", "-c", perf + " script -i " + data + " -F " + fields + " 2>/dev/null");
  }

  /** How often each name was found; fails if perf, which reads the map too, says otherwise. */
  private Map<String, Integer> compareWithPerf(int pid, JitSymbols symbols) {
    JitProcess process = Processes.of(pid);
    List<long[]> code = Processes.anonymousCode(pid);
    Map<String, Integer> found = new HashMap<>();
    List<String> differences = new ArrayList<>();
    int samples = 0;
    for (String line : perf(pid, "ip,sym").lines().toList()) {
      String[] parts = line.strip().split(" ", 2);
      long address = Long.parseUnsignedLong(parts[0], 16);
      if (!Processes.isIn(code, address)) {
        continue;
      }
      samples++;
      Optional<JitFunction> function = symbols.at(process, address, Processes.now());
      String ours = function.map(JitFunction::text).orElse("[unknown]");
      if (!ours.equals(parts[1])) {
        differences.add(line + " | " + ours);
      }
      function.ifPresent(f -> found.merge(f.name(), 1, Integer::sum));
    }
    System.out.printf("%d samples, %d differ: %s%n", samples, differences.size(), found);
    assertThat(differences).isEmpty();
    assertThat(samples).isGreaterThan(20);
    return found;
  }

  private JitFunction anyNamed(int pid, JitSymbols symbols, String name) {
    return any(pid, symbols, f -> f.name().equals(name));
  }

  /** Some function like that in the process's own code. */
  private JitFunction any(int pid, JitSymbols symbols, Predicate<JitFunction> like) {
    JitProcess process = Processes.of(pid);
    long now = Processes.now();
    for (long[] range : Processes.anonymousCode(pid)) {
      for (long address = range[0]; address < range[1]; ) {
        Optional<JitFunction> found = symbols.at(process, address, now);
        if (found.filter(like).isPresent()) {
          return found.get();
        }
        long next = (address | 15) + 1;
        address = found.map(f -> f.processAddress() + f.size()).orElse(next);
      }
    }
    throw new AssertionError("no such code");
  }
}
