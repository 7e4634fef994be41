package dev.plumb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code ./check} selects tests by name: a test that moves must not be lost or run twice. */
class CheckScriptTest {
  private static final Path TESTS = Path.of("src/test/java");

  private final String script = Files.readString(Path.of("check"));
  private final List<Path> classes = testClasses();

  CheckScriptTest() throws IOException {}

  @Test
  void everyTestClassRunsOnce() {
    List<String> recording = assigned("recording");
    List<String> computing = assigned("computing");
    List<String> waiting = assigned("waiting");
    List<String> notRecording = new ArrayList<>(waiting);
    notRecording.addAll(words("-Dtest=\"\\$recording,!([^,]*),"));
    for (Path test : classes) {
      boolean records = matches(recording, test);
      boolean computes = matches(computing, test);
      int runs = computes ? 1 : 0;
      runs += matches(waiting, test) ? 1 : 0;
      runs += records && !matches(notRecording, test) ? 1 : 0;
      runs += !records && !computes ? 1 : 0;
      assertThat(runs).as(test.toString()).isEqualTo(1);
    }
  }

  @Test
  void everyPatternMatchesSomething() {
    List<String> patterns = new ArrayList<>();
    List.of("recording", "computing", "waiting").forEach(name -> patterns.addAll(assigned(name)));
    for (String name : List.of("recorders", "slow")) {
      words("(?s)\n" + name + "=\\((.*?)\\)\n")
          .forEach(all -> patterns.addAll(List.of(all.split("\\s+"))));
    }
    assertThat(patterns).hasSizeGreaterThan(20);
    for (String pattern : patterns) {
      for (String one : alternatives(pattern)) {
        assertThat(classes.stream().anyMatch(test -> matches(List.of(one), test))).as(one).isTrue();
      }
    }
  }

  private static List<Path> testClasses() throws IOException {
    try (Stream<Path> files = Files.walk(TESTS)) {
      return files
          .map(file -> TESTS.relativize(file).toString())
          .filter(name -> name.endsWith("Test.java"))
          .map(name -> Path.of(name.replace(".java", "")))
          .toList();
    }
  }

  /** The patterns that a variable gets, by = and +=. */
  private List<String> assigned(String variable) {
    List<String> patterns = new ArrayList<>();
    for (String value : words("\n" + variable + "\\+?=',?([^']*)'")) {
      patterns.addAll(List.of(value.split(",")));
    }
    assertThat(patterns).as(variable).isNotEmpty();
    return patterns;
  }

  private List<String> words(String regex) {
    Matcher matcher = Pattern.compile(regex).matcher(script);
    return matcher.results().map(result -> result.group(1)).toList();
  }

  /** Expands the braces, as bash does. */
  private static List<String> alternatives(String pattern) {
    int open = pattern.indexOf('{');
    int close = pattern.indexOf('}');
    if (open < 0) {
      return List.of(pattern);
    }
    return Stream.of(pattern.substring(open + 1, close).split(","))
        .map(word -> pattern.substring(0, open) + word + pattern.substring(close + 1))
        .toList();
  }

  private static boolean matches(List<String> patterns, Path test) {
    for (String pattern : patterns) {
      // Where Maven's ** may stand for no folder at all, Java's stands for one at least.
      String glob = "glob:" + pattern.replace("/**/", "/{,**/}");
      if (FileSystems.getDefault().getPathMatcher(glob).matches(test)) {
        return true;
      }
    }
    return false;
  }
}
