package dev.plumb.collect.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.collect.code.Libraries;
import dev.plumb.collect.code.Library;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.probe.Argument.Kind;
import dev.plumb.collect.probe.ProbeSpec.Usdt;
import dev.plumb.collect.probe.ProbeSpec.UserFunction;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions and libraries by name, held against what binutils say. */
class FunctionSitesTest {
  @TempDir Path folder;

  private final Path program = Programs.compiled("probes");

  private static Library library(Path path) {
    return new Library(path, path.toString());
  }

  private static List<ProbeSite> find(Path file, String function) {
    return FunctionSites.find(
        library(file), (UserFunction) ProbeSpec.parse("uprobe:" + file + ":" + function));
  }

  /** What {@code nm} and {@code readelf -lW} say of an address in a file. */
  private static long fileOffset(Path file, String function) {
    Matcher symbol =
        Pattern.compile("(?m)^([0-9a-f]+) [Tt] " + Pattern.quote(function) + "$")
            .matcher(Programs.run("nm", file.toString()));
    assertThat(symbol.find()).isTrue();
    long address = Long.parseLong(symbol.group(1), 16);
    Matcher segment =
        Pattern.compile("(?m)^ *LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+)")
            .matcher(Programs.run("readelf", "-lW", file.toString()));
    while (segment.find()) {
      long into = address - Long.parseLong(segment.group(2), 16);
      if (into >= 0 && into < Long.parseLong(segment.group(3), 16)) {
        return Long.parseLong(segment.group(1), 16) + into;
      }
    }
    throw new AssertionError(function);
  }

  @Test
  void aFunctionsPlace() {
    long expected = fileOffset(program, "counted_call");
    assertThat(find(program, "counted_call"))
        .extracting(ProbeSite::fileOffset)
        .containsExactly(expected);
    assertThat(find(program, "counted_call+1"))
        .extracting(ProbeSite::fileOffset)
        .containsExactly(expected + 1);
  }

  @Test
  void patterns() {
    assertThat(find(program, "*_for"))
        .extracting(ProbeSite::name)
        .containsExactlyInAnyOrder("spin_for", "sleep_for");
    assertThatThrownBy(() -> find(library(Path.of(libc())).path(), "*"))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("at most 1000");
  }

  @Test
  void nearNamesAreTold() {
    assertThatThrownBy(() -> find(program, "counted_cal"))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("did you mean counted_call")
        .hasMessageContaining("plumb list probes");
    assertThatThrownBy(() -> find(program, "counted_call+100000"))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("is beyond its end");
  }

  /** Only what is exported is left, unless the debug file is there. */
  @Test
  void strippedFiles() throws Exception {
    Path stripped = folder.resolve("stripped");
    Programs.run("objcopy", "--strip-all", program.toString(), stripped.toString());
    assertThatThrownBy(() -> find(stripped, "counted_call"))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("has no function 'counted_call'");
    Path debug = folder.resolve("stripped.debug");
    Programs.run("objcopy", "--only-keep-debug", program.toString(), debug.toString());
    Programs.run("objcopy", "--add-gnu-debuglink=" + debug, stripped.toString());
    assertThat(find(stripped, "counted_call"))
        .extracting(ProbeSite::fileOffset)
        .containsExactly(fileOffset(program, "counted_call"));
  }

  @Test
  void demangledNames() throws Exception {
    Path source = folder.resolve("names.cc");
    Files.writeString(
        source,
        """
        namespace ns {
        __attribute__((noinline)) int twice(int x) { return 2 * x; }
        __attribute__((noinline)) int twice(const char *s) { return s[0]; }
        }
        int main(int argc, char **argv) { return ns::twice(argc) + ns::twice(argv[0]); }
        """);
    Path binary = folder.resolve("names");
    Programs.run("g++", "-O1", source.toString(), "-o", binary.toString());
    assertThat(find(binary, "ns::twice"))
        .extracting(ProbeSite::name)
        .containsExactlyInAnyOrder("_ZN2ns5twiceEi", "_ZN2ns5twiceEPKc");
    assertThat(find(binary, "ns::twice(int)"))
        .extracting(ProbeSite::name)
        .containsExactly("_ZN2ns5twiceEi");
    assertThat(find(binary, "ns::t*(char const*)"))
        .extracting(ProbeSite::name)
        .containsExactly("_ZN2ns5twiceEPKc");
    assertThatThrownBy(() -> find(binary, "ns::twise"))
        .hasMessageContaining("did you mean ns::twice");
  }

  private static String libc() {
    return Libraries.find("libc.so.6", List.of()).getFirst().path().toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"c", "libc", "libc.so.6"})
  void shortNames(String name) throws Exception {
    Matcher ldd =
        Pattern.compile("libc\\.so\\.6 => (\\S+)").matcher(Programs.run("ldd", program.toString()));
    assertThat(ldd.find()).isTrue();
    assertThat(Libraries.find(name, List.of()).getFirst().path())
        .isEqualTo(Path.of(ldd.group(1)).toRealPath());
    assertThat(find(Path.of(libc()), "malloc")).hasSize(1);
  }

  @Test
  void programsOnThePath() throws Exception {
    assertThat(Libraries.find("bash", List.of()).getFirst().path())
        .isEqualTo(Path.of("/bin/bash").toRealPath());
  }

  /** Which memcpy it is, the CPU decides. */
  @Test
  void indirectFunctionsAreRefused() {
    assertThatThrownBy(() -> find(Path.of(libc()), "memcpy"))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("picks one of several");
  }

  @Test
  void librariesThatAreNotThere() {
    assertThatThrownBy(() -> Libraries.find("nolib", List.of()))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("write its path");
    assertThatThrownBy(() -> Libraries.find("/no/such/file", List.of()))
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> find(Path.of("/etc/passwd"), "f")).isInstanceOf(ProbeException.class);
  }

  @Test
  @RequiresRoot
  void whatAProcessHasMapped() throws Exception {
    Process process =
        new ProcessBuilder(program.toString(), "wait", "1", "20")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      int pid = (int) process.pid();
      Thread.sleep(200);
      Library library = Libraries.find("c", List.of(pid)).getFirst();
      assertThat(library.path()).startsWith(Path.of("/proc/" + pid + "/root"));
      assertThat(find(library.path(), "malloc")).hasSize(1);
      assertThat(Libraries.find("probes", List.of(pid))).hasSize(1);
      assertThatThrownBy(() -> Libraries.find("libssl", List.of(pid)))
          .isInstanceOf(ProbeException.class)
          .hasMessageContaining("process " + pid + " has not mapped 'libssl'")
          .hasMessageContaining("libc.so.6");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void usdtProbes() {
    Usdt wanted = (Usdt) ProbeSpec.parse("usdt:" + program + ":plumbtest:tick");
    ProbeSite place = UsdtSites.find(library(program), wanted).getFirst();
    assertThat(place.semaphoreOffset()).isNotZero();
    assertThat(place.arguments()).hasSize(5);
    assertThat(place.arguments().get(2).value()).isEqualTo(-5);
    assertThat(place.arguments().get(3).kind()).isEqualTo(Kind.MEMORY);
    Usdt all = (Usdt) ProbeSpec.parse("usdt:" + program + ":*");
    assertThat(UsdtSites.find(library(program), all)).hasSize(2);
    assertThatThrownBy(
            () ->
                UsdtSites.find(
                    library(program), (Usdt) ProbeSpec.parse("usdt:" + program + ":tock")))
        .hasMessageContaining("did you mean tick");
    assertThatThrownBy(
            () ->
                UsdtSites.find(
                    library(Path.of("/bin/true")), (Usdt) ProbeSpec.parse("usdt:true:tock")))
        .hasMessageContaining("has no USDT probes");
  }
}
