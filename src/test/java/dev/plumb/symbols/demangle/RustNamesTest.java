package dev.plumb.symbols.demangle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.symbols.demangle.rust.RustLegacy;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Holds Rust names against rustfilt: no difference is allowed. */
class RustNamesTest {
  private static final Path SOURCE =
      Path.of("src/test/resources/demangle/names.rs").toAbsolutePath();

  @Test
  void agreesOnV0Names() throws IOException {
    List<String> names = compiled("v0");
    assertThat(names).hasSizeGreaterThan(100).allMatch(n -> n.startsWith("_R"));
    assertThat(differences(names)).isEmpty();
  }

  @Test
  void agreesOnLegacyNames() throws IOException {
    List<String> names = compiled("legacy");
    assertThat(names).hasSizeGreaterThan(100).allMatch(n -> n.startsWith("_ZN"));
    assertThat(differences(names)).isEmpty();
  }

  /** The standard library and, if it is there, the compiler itself. */
  @Test
  void agreesOnTheStandardLibrary() throws IOException {
    needTools();
    Path sysroot = Path.of(Fixtures.run("rustc", "--print", "sysroot").strip());
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(sysroot.resolve("lib"), 4)) {
      for (Path file : files.filter(RustNamesTest::isRust).toList()) {
        names.addAll(Filter.sample(Filter.namesIn(file), 5000));
      }
    }
    names.removeIf(n -> n.startsWith("_Z") && RustLegacy.end(n) < 0);
    assertThat(names).hasSizeGreaterThan(1000);
    assertThat(differences(names)).isEmpty();
  }

  private static boolean isRust(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".so") && (name.startsWith("libstd-") || name.startsWith("librustc_"));
  }

  /** Constants that only nightly compilers make yet, and suffixes. */
  @Test
  void agreesOnRareNames() throws IOException {
    needTools();
    List<String> names =
        List.of(
            "_RIC0KRe616263_E",
            "_RIC0Ke616263_E",
            "_RIC0KRAtmm_j2_EE",
            "_RIC0KTm1_b1_EE",
            "_RIC0KTm1_EE",
            "_RIC0KVNtC1a1bUE",
            "_RIC0KVNtC1a1bTm1_EE",
            "_RIC0KVNtC1a1bS1xm1_1ym2_EE",
            "_RIC0KQm1_E",
            "_RIC0KoffffffffffffffffffffE",
            "_RIC0Kc27_E",
            "_RIC0Kc10ffff_E",
            "_RIC0Kc301_E",
            "_RMC0WmRm1_m9_",
            "_RMC0WmORm1_m2_Rm5_m6_E",
            "_RMC0WPmN",
            "_RIC0Kp_E",
            "_RNvC6_123foo3bar",
            "_RNvC1a3bar.llvm.1234567890ABCDEF",
            "_RNvC1a3bar.cold",
            "_RNvC1a3barC1b",
            "_RNSC1as_0",
            "_RNCNvC1a1bs_0",
            "_RNXC1a1b1c",
            "_RINvC1a1bDG_FGm_RL_hEuEL_E",
            "_RINvC1a1bFUKCEuE",
            "_RINvC1a1bFK5a_b_cEuE",
            "_ZN3foo3bar17h05af221e174051e9E.llvm.A5310EB9",
            "_ZN3foo3bar17h05af221e174051e9E.cold",
            "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
                + "17h930b740aa94f1d3aE",
            "_ZN3foo8$u20ac$x17h05af221e174051e9E",
            "_ZN3foo5$XX$x17h05af221e174051e9E");
    assertThat(differences(names)).isEmpty();
  }

  private static List<String> compiled(String version) {
    needTools();
    Path object = Fixtures.file("names-" + version + ".o");
    Fixtures.run(
        "env",
        "RUSTC_BOOTSTRAP=1",
        "rustc",
        "-Zunstable-options",
        "-Csymbol-mangling-version=" + version,
        "--edition=2021",
        "--emit=obj",
        SOURCE.toString(),
        "-o",
        object.toString());
    List<String> names = Filter.namesIn(object);
    names.removeIf(n -> !n.startsWith(version.equals("v0") ? "_R" : "_ZN"));
    return names;
  }

  private static void needTools() {
    Assumptions.assumeTrue(Filter.find("rustfilt").isPresent(), "rustfilt is missing: see ./check");
    Assumptions.assumeTrue(Filter.find("rustc").isPresent(), "rustc is missing: see ./check");
  }

  private static List<String> differences(List<String> names) throws IOException {
    List<String> expected = Filter.through("rustfilt", names);
    List<String> different = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String ours = Demangler.demangle(names.get(i));
      if (!ours.equals(expected.get(i))) {
        different.add(names.get(i) + "\n  rustfilt " + expected.get(i) + "\n  ours     " + ours);
      }
    }
    return different;
  }
}
