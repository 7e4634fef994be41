package dev.plumb.symbols.demangle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Holds C++ names against c++filt. {@code bench/demangle} does so with all of the machine's. */
class CppNamesTest {
  /** One of each kind of name, by two compilers. */
  @Test
  void agreesOnWhatCompilersMakeOfOneOfEach() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    Path source = Path.of("src/test/resources/demangle/names.cpp").toAbsolutePath();
    for (String compiler : List.of("g++", "clang++-19")) {
      for (String level : List.of("-O0", "-O2")) {
        Path object = Fixtures.file("names-" + compiler + level + ".o");
        Fixtures.run(
            compiler, "-std=c++20", "-w", level, "-c", source.toString(), "-o", object.toString());
        names.addAll(Filter.namesIn(object));
      }
    }
    Differences found = Differences.fromCppFilt(List.copyOf(names));
    assertThat(found.wrong()).isEmpty();
    assertThat(found.constructors()).isEmpty();
    assertThat(found.names()).isGreaterThan(800);
    assertThat(found.unknown()).hasSizeLessThan(45);
  }

  @Test
  void agreesOnMembersOfAModule() throws IOException {
    Differences found = Differences.fromCppFilt(compiled("module.cpp", "-std=c++20", "c++-module"));
    assertThat(found.names()).isGreaterThan(3);
    assertThat(found.wrong()).isEmpty();
    assertThat(found.unknown()).isEmpty();
  }

  /** llvm-cxxfilt knows them; it writes no blank between closing angle brackets. */
  @Test
  void agreesOnWhatIsNewerThanCppFilt() throws IOException {
    List<String> names = compiled("newer.cpp", "-std=c++23", "c++");
    List<String> ours =
        names.stream().map(n -> Demangler.demangle(n).replace("> >", ">>")).toList();
    assertThat(names).hasSizeGreaterThan(5);
    assertThat(ours).isEqualTo(Filter.through("llvm-cxxfilt-19", names));
  }

  private static List<String> compiled(String source, String standard, String language) {
    Path object = Fixtures.file(source + ".o");
    Path path = Path.of("src/test/resources/demangle", source).toAbsolutePath();
    Fixtures.run(
        "clang++-19",
        standard,
        "-w",
        "-x",
        language,
        "-c",
        path.toString(),
        "-o",
        object.toString());
    return Filter.namesIn(object);
  }

  @Test
  void agreesOnTheStandardLibrary() throws IOException {
    agree(Path.of("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"), 6000);
  }

  @Test
  void agreesOnLibjvm() throws IOException {
    agree(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so"), 6000);
  }

  private static void agree(Path file, int wanted) throws IOException {
    Assumptions.assumeTrue(Files.exists(file), file + " is missing");
    List<String> names = Filter.sample(Filter.namesIn(file), wanted);
    assertThat(names).hasSizeGreaterThan(wanted / 2);
    Differences found = Differences.fromCppFilt(names);
    assertThat(found.wrong()).isEmpty();
    assertThat(found.constructors()).hasSizeLessThan(names.size() / 1000);
    assertThat(found.unknown()).allMatch(n -> n.startsWith("_ZGR"));
  }

  /** Grammar that compilers use rarely; every line is read by c++filt, too. */
  @Test
  void agreesOnRareGrammar() throws IOException {
    List<String> names =
        Files.readAllLines(Path.of("src/test/resources/demangle/rare.txt")).stream()
            .filter(line -> line.startsWith("_"))
            .toList();
    Differences found = Differences.fromCppFilt(names);
    assertThat(names).hasSizeGreaterThan(180);
    assertThat(found.wrong()).isEmpty();
    assertThat(found.constructors()).isEmpty();
    assertThat(found.unknown()).isEmpty();
  }

  /** Where c++filt gives up or is wrong by the ABI. */
  @Test
  void goesBeyondIt() {
    assertName("_ZGRN1A1xE_", "reference temporary #0 for A::x");
    assertName("_ZGR1x0_", "reference temporary #1 for x");
    assertName("_ZN1AIcEcvT_Ev", "A<char>::operator char()");
    assertName("_Z1fIiEDTnxfp_ET_", "decltype (noexcept({parm#1})) f<int>(int)");
    assertName("_Z1fDB7_DU9_", "f(_BitInt(7), unsigned _BitInt(9))");
    assertName("_Z1fITk1CiEvT_", "void f<int>(int)");
    assertName("_ZN1AIiE1fEvQ1CIT_E", "A<int>::f()");
    assertName("_Z1fDk1C", "f(C auto)");
    assertName("_Z1fIXrqXLi1EEEEvv", "void f<requires {...}>()");
    assertName("_ZN4shop7größeEv", "shop::größe()");
    // A type without a name is one substitution, not two.
    assertName("_ZN1fUt_1gES_S0_", "f::{unnamed type#1}::g(f, f::{unnamed type#1})");
  }

  private static void assertName(String mangled, String expected) {
    assertThat(Demangler.demangle(mangled)).isEqualTo(expected);
  }
}
