package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.StackEnd;
import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deep stacks are whole, or say that they are not. */
@RequiresRoot
class RecordDepthTest {
  private static final String TOO_DEEP = StackEnd.DEPTH.text();

  @TempDir Path folder;

  @Test
  void threeHundredFramesAreWhole() {
    PlumbCommand.Result result = record(300);
    assertThat(result.err()).doesNotContain(TOO_DEEP);
    assertWhole(300);
  }

  @Test
  void moreThanAskedForAreCutAndSaySo() {
    PlumbCommand.Result result = record(600, "--depth", "512");
    assertThat(result.err()).contains(TOO_DEEP);
    List<Folded.Line> lines = burning();
    assertThat(lines).isNotEmpty();
    for (Folded.Line line : lines) {
      // The process's name, then the 512 frames nearest to the leaf: of descend all but one.
      assertThat(user(line)).hasSize(1 + 512);
      assertThat(Collections.frequency(line.frames(), "descend")).isEqualTo(511);
      assertThat(line.frames()).doesNotContain("_start");
    }
  }

  @Test
  void sixHundredAreWhole() {
    PlumbCommand.Result result = record(600);
    assertThat(result.err()).doesNotContain(TOO_DEEP);
    assertWhole(600);
  }

  @Test
  void aDepthOfOneIsTheLeaf() {
    record(300, "--depth", "1", "-u");
    List<Folded.Line> lines = burning();
    assertThat(lines).isNotEmpty().allMatch(line -> user(line).equals(List.of("deep", "burn")));
  }

  private void assertWhole(int depth) {
    List<Folded.Line> lines = burning();
    assertThat(lines.stream().mapToLong(Folded.Line::value).sum()).isGreaterThan(100);
    for (Folded.Line line : lines) {
      assertThat(user(line)).startsWith("deep", "_start", "start", "descend").endsWith("burn");
      assertThat(Collections.frequency(line.frames(), "descend")).isEqualTo(depth);
    }
  }

  /** What has a frame of its own on the user stack: neither the kernel's nor what was inlined. */
  private static List<String> user(Folded.Line line) {
    return line.frames().stream().filter(frame -> !frame.matches(".*_\\[[ik]]")).toList();
  }

  private List<Folded.Line> burning() {
    return Folded.read(folder.resolve("out.folded")).lines().stream()
        .filter(line -> line.has("burn"))
        .toList();
  }

  private PlumbCommand.Result record(int depth, String... options) {
    Path deep = Programs.compiled("deep", "-nostdlib", "-static", "-fcf-protection=none");
    String[] first = {"record", "-F", "499", "-o", folder.resolve("out.folded").toString()};
    String[] last = {"--", deep.toString(), "" + depth, "500"};
    String[] args = Stream.of(first, options, last).flatMap(Arrays::stream).toArray(String[]::new);
    PlumbCommand.Result result = PlumbCommand.run(args);
    assertThat(result.code()).as(result.err()).isZero();
    return result;
  }
}
