package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The committed BPF objects. */
class ObjectsTest {
  private static final Path SOURCES = Path.of("src/main/bpf");
  private static final Path OBJECTS = Path.of("src/main/resources/bpf");

  /** As {@code src/main/bpf/compile} writes it. */
  @Test
  void areMadeOfTheseSources() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(Files.readAllBytes(SOURCES.resolve("compile")));
    for (String ending : List.of(".c", ".h")) {
      for (Path source : files(SOURCES, ending)) {
        digest.update(Files.readAllBytes(source));
      }
    }
    assertThat(OBJECTS.resolve("sources.sha256"))
        .as("the objects are stale: run src/main/bpf/compile and commit them")
        .hasContent(HexFormat.of().formatHex(digest.digest()));
  }

  @Test
  void areThereForEachSourceAndArchitecture() throws IOException {
    List<String> sources =
        files(SOURCES, ".bpf.c").stream()
            .map(path -> path.getFileName().toString().replace(".bpf.c", ".o"))
            .toList();
    assertThat(sources).isNotEmpty();
    for (String architecture : List.of("x86", "arm64")) {
      assertThat(
              files(OBJECTS.resolve(architecture), ".o").stream()
                  .map(path -> path.getFileName().toString()))
          .isEqualTo(sources);
    }
  }

  /**
   * Where they were compiled is nobody's business, and would make them differ from machine to
   * machine.
   */
  @Test
  void holdNoAbsolutePath() throws IOException {
    Pattern path = Pattern.compile("(?<![\\w.*/])/[\\w.-]+/[\\w./-]+");
    assertThat(path.matcher("x\0/home/me/plumb.h\0").find()).as("the pattern finds one").isTrue();
    for (String architecture : List.of("x86", "arm64")) {
      for (Path object : files(OBJECTS.resolve(architecture), ".o")) {
        String bytes = Files.readString(object, StandardCharsets.ISO_8859_1);
        assertThat(path.matcher(bytes).results().map(match -> match.group()))
            .as(object.toString())
            .isEmpty();
      }
    }
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }
}
