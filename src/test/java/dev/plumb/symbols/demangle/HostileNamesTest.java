package dev.plumb.symbols.demangle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Names are input: whatever they are, an answer comes soon and nothing is thrown. */
class HostileNamesTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  void deepNestingIsLeftAlone() {
    for (String part :
        List.of("P", "I1a", "N", "XadL_Z", "Z1f", "DTde", "FPF", "Dp", "M1a", "1aI", "K", "T")) {
      unchanged("_Z1f" + part.repeat(20_000 / part.length()));
    }
    unchanged("_R" + "B".repeat(20_000));
    unchanged("_R" + "NvM".repeat(7_000));
    unchanged("_RINvC1a1b" + "R".repeat(20_000) + "hE");
    unchanged("_ZN" + "1a".repeat(40_000) + "Ev");
  }

  /** Each part names the one before it more than once. */
  @Test
  void exponentialSubstitutionsAreLeftAlone() {
    StringBuilder doubling = new StringBuilder("_Z1f1aS_");
    for (int i = 0; i < 30; i++) {
      String last = i == 0 ? "S_" : "S" + Integer.toString(2 * i - 1, 36).toUpperCase() + "_";
      doubling.append("1bI").append(last).append(last).append("E");
    }
    unchangedSoon(doubling.toString());
    StringBuilder empty = new StringBuilder("_Z1fIJEEv");
    for (int i = 0; i < 40; i++) {
      empty.append("PF").append("DpT_".repeat(3)).append("E");
    }
    Assertions.assertTimeoutPreemptively(SOON, () -> Demangler.demangle(empty.toString()));
    StringBuilder rust = new StringBuilder("_RINvC1a1b");
    int at = "INvC1a1b".length();
    rust.append("Thhhh").append("E");
    for (int i = 0; i < 40; i++) {
      String back = "B" + base62(at) + "_";
      at = rust.length() - 2;
      rust.append("T").append(back.repeat(8)).append("E");
    }
    unchangedSoon(rust.append("E").toString());
  }

  private static String base62(int value) {
    return value == 0 ? "" : Integer.toString(value - 1, 36);
  }

  @Test
  void parametersThatStandForThemselvesAreLeftAlone() {
    unchangedSoon("_Z1fIT_EvT_");
    unchangedSoon("_Z1fIT0_T_EvT_");
    unchangedSoon("_Z1fIJT_DpT_EEvDpT_");
    unchangedSoon("_Z1fIRT_EvOT_");
    unchangedSoon("_RNvB_1a");
    unchangedSoon("_RINvC1a1bB7_E");
  }

  @Test
  void mutatedNamesNeverFail() throws IOException {
    List<String> seeds = new ArrayList<>();
    seeds.addAll(Files.readAllLines(Path.of("src/test/resources/demangle/rare.txt")));
    seeds.addAll(
        Filter.sample(
            Filter.namesIn(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so")), 500));
    seeds.addAll(
        List.of(
            "_RNvMNtC5alloc3vecINtB2_3VecjE4push",
            "_RIC0KVNtC1a1bS1xm1_1ym2_EE",
            "_RINvC1a1bDG_INtC1c1dRL_hEp4ItemuEL_E",
            "_RNvC1au9gdel_5qa3größe",
            "_ZN71_$LT$Test$u20$$u2b$$GT$3bar17h930b740aa94f1d3aE"));
    Random random = new Random(20);
    int changed = 0;
    for (int i = 0; i < 100_000; i++) {
      String name = mutated(seeds, random);
      NameStyle style = random.nextInt(4) == 0 ? NameStyle.SHORT : NameStyle.FULL;
      long start = System.nanoTime();
      String result = style.apply(name);
      assertThat(System.nanoTime() - start).as(name).isLessThan(SOON.toNanos());
      changed += result.equals(name) ? 0 : 1;
    }
    // Mutations that leave no valid name at all would test little.
    assertThat(changed).isGreaterThan(10_000);
  }

  private static String mutated(List<String> seeds, Random random) {
    StringBuilder name = new StringBuilder(seeds.get(random.nextInt(seeds.size())));
    for (int times = 1 + random.nextInt(3); times > 0 && name.length() > 4; times--) {
      int at = 2 + random.nextInt(name.length() - 2);
      String other = seeds.get(random.nextInt(seeds.size()));
      switch (random.nextInt(5)) {
        case 0 -> name.setCharAt(at, (char) (33 + random.nextInt(94)));
        case 1 -> name.deleteCharAt(at);
        case 2 -> name.insert(at, other.charAt(random.nextInt(other.length())));
        case 3 -> name.insert(at, other, random.nextInt(other.length()), other.length());
        default -> name.insert(at, name.substring(at, at + random.nextInt(name.length() - at)));
      }
    }
    return name.toString();
  }

  private static void unchangedSoon(String name) {
    Assertions.assertTimeoutPreemptively(SOON, () -> unchanged(name));
  }

  private static void unchanged(String name) {
    assertThat(Demangler.demangle(name)).isEqualTo(name);
  }
}
