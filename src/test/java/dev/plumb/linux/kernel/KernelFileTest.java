package dev.plumb.linux.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelFileTest {
  @TempDir Path folder;

  /** A sysctl answers the first read only, which a read of one byte would spend. */
  @Test
  void readsASysctlWhole() {
    assertThat(KernelFile.read("/proc/sys/kernel/perf_event_max_sample_rate").orElseThrow())
        .matches("\\d{2,}");
    assertThat(KernelFile.read("/proc/sys/kernel/osrelease"))
        .contains(System.getProperty("os.version"));
  }

  @Test
  void blanksAroundAreGone() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), " \n a b \n\n");
    assertThat(KernelFile.read(file.toString())).contains("a b");
  }

  @Test
  void whatCannotBeReadIsEmpty() {
    assertThat(KernelFile.read("/proc/sys/kernel/no_such_thing")).isEmpty();
    assertThat(KernelFile.read(folder.toString())).isEmpty();
  }
}
