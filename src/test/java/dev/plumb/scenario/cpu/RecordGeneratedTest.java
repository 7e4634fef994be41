package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stacks that end in code which a program made at run time say so, and nothing else does. */
@RequiresRoot
class RecordGeneratedTest {
  private static final String GENERATED = StackEnd.GENERATED.text();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"anonymous", "memfd"})
  void codeInMemory(String kind) throws IOException {
    Quality quality = record("--", Programs.compiled("generated").toString(), kind, "1");
    assertThat(quality.samples()).isGreaterThan(300);
    Map<String, Long> why = quality.truncated();
    assertThat(why.getOrDefault(GENERATED, 0L)).isGreaterThan(quality.samples() * 9 / 10);
    assertThat(others(why)).isLessThan(quality.samples() / 50);
  }

  @Test
  void codeThatKeepsAFramePointerIsWholeWhereItsCallerDoesNot() throws IOException {
    Quality quality = record("--", Programs.compiled("generated").toString(), "framed", "1");
    assertThat(quality.samples()).isGreaterThan(300);
    Map<String, Long> why = quality.truncated();
    long cut = others(why) + why.getOrDefault(GENERATED, 0L);
    assertThat(cut).as("%s", why).isLessThan(quality.samples() / 50);
  }

  @Test
  void javaThatIsCompiled() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Quality quality =
        record(
            "-d",
            "4",
            "--",
            "timeout",
            "5",
            java,
            "-XX:-TieredCompilation",
            "src/test/targets/Hot.java");
    Map<String, Long> why = quality.truncated();
    assertThat(why.getOrDefault(GENERATED, 0L)).isGreaterThan(quality.samples() / 5);
    assertThat(others(why)).as("%s", why).isLessThan(quality.samples() / 50);
  }

  private static long others(Map<String, Long> why) {
    return why.entrySet().stream()
        .filter(entry -> !entry.getKey().equals(GENERATED))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private Quality record(String... options) throws IOException {
    Path file = folder.resolve("out.plumb");
    List<String> all = new ArrayList<>(List.of("record", "-F", "499", "-o", file.toString()));
    all.addAll(Arrays.asList(options));
    PlumbCommand.Result result = PlumbCommand.run(all.toArray(String[]::new));
    assertThat(result.code()).as(result.err()).isIn(0, 124);
    try (InputStream in = Files.newInputStream(file);
        Recording recording = new PlumbReader().read(in).recording()) {
      Profile profile = recording.main();
      return profile.quality();
    }
  }
}
