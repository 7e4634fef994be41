package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.export.Formats;
import dev.plumb.linux.kernel.NumaNodes;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program whose pages have to lie in one of two nodes of memory, the second of which has no CPU.
 * The machines that other kernels run on have these.
 */
@RequiresRoot
@OnEveryKernel
class RecordNodesTest {
  private static final long PAGES = 3000;

  @TempDir Path folder;

  @Test
  void pagesOfAnotherNodeAreRemote() throws Exception {
    assumeTrue(NumaNodes.ofCpus().length > 0, "this machine has one node of memory");
    Path file = folder.resolve("out.plumb");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "kmem",
            "-o",
            file.toString(),
            "--",
            Programs.compiled("numanodes").toString(),
            "" + PAGES);
    assertThat(result.code()).as(result.err()).isZero();
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      // And tables of pages, which are where the CPU is.
      assertThat(allocated(profile, "touches_node_0", "local", "0"))
          .isBetween(PAGES, PAGES + PAGES / 100);
      assertThat(allocated(profile, "touches_node_0", "remote", "1")).isZero();
      assertThat(allocated(profile, "touches_node_1", "remote", "1")).isEqualTo(PAGES);
      assertThat(allocated(profile, "touches_node_1", "local", "0")).isLessThan(PAGES / 100);
    }
  }

  private static long allocated(Profile profile, String function, String numa, String node) {
    int type = profile.type("alloc_pages").orElseThrow();
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      Map<String, String> labels = profile.labels(row).values();
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        if (profile.stacks().frames().get(frame).name().equals(function)
            && numa.equals(labels.get("numa"))
            && node.equals(labels.get("node"))) {
          sum += profile.value(row, type);
        }
      }
    }
    return sum;
  }
}
