package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.linux.kernel.NumaNodes;
import dev.plumb.linux.proc.Capabilities;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStatus;
import dev.plumb.testing.OnEveryKernel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clock, capabilities, version and CPUs of this machine. */
@OnEveryKernel
class SystemFactsTest {
  @Test
  void takesTheClocksOffset() {
    Clock clock = Clock.take();
    long wall = clock.wallOfMonotonic(SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC));
    assertThat(wall).isCloseTo(System.currentTimeMillis() * 1_000_000, within(200_000_000L));
    long boot = clock.wallOfBoot(SystemCalls.clockGettime(SystemCalls.CLOCK_BOOTTIME));
    assertThat(boot).isCloseTo(wall, within(200_000_000L));
    assertThat(clock.monotonicOfWall(clock.wallOfMonotonic(42))).isEqualTo(42);
    assertThat(clock.error()).isBetween(0L, 10_000_000L);
  }

  @Test
  void namesCapabilities() {
    Capabilities some = new Capabilities(1L << 39 | 1L << 21 | 1L << 50);
    assertThat(some.names()).containsExactly("CAP_SYS_ADMIN", "CAP_BPF", "CAP_50");
    assertThat(some.has("CAP_BPF")).isTrue();
    assertThat(some.has("CAP_PERFMON")).isFalse();
    assertThat(some.grants("CAP_PERFMON")).isTrue();
    assertThat(some.grants("CAP_SYS_PTRACE")).isFalse();
    assertThatThrownBy(() -> some.has("CAP_NONE")).isInstanceOf(IllegalArgumentException.class);
    try (ProcReader reader = new ProcReader()) {
      assertThat(ProcStatus.read(reader, ProcessCalls.gettid()).orElseThrow().effective())
          .isEqualTo(Capabilities.effective());
    }
  }

  @Test
  void readsTheKernelsVersion() {
    assertThat(KernelVersion.current().toString()).isEqualTo(System.getProperty("os.version"));
    KernelVersion debian = KernelVersion.parse("6.1.0-18-cloud-amd64");
    assertThat(debian).isEqualTo(new KernelVersion(6, 1, 0, "6.1.0-18-cloud-amd64"));
    assertThat(debian.isAtLeast(5, 19)).isTrue();
    assertThat(debian.isAtLeast(6, 2)).isFalse();
    assertThat(debian).isLessThan(KernelVersion.parse("6.12-rc1"));
    assertThat(KernelVersion.parse("6.12-rc1").patch()).isZero();
    assertThat(KernelVersion.parse("5.10.300").code()).isEqualTo(0x050aff);
    assertThat(KernelVersion.parse("nonsense").major()).isZero();
  }

  @Test
  void knowsTheNodesOfCpus(@TempDir Path folder) throws Exception {
    int[] here = NumaNodes.ofCpus();
    boolean several = Files.exists(Path.of("/sys/devices/system/node/node1"));
    assertThat(here.length > 0).isEqualTo(several);
    for (int cpu : several ? Cpus.online() : new int[0]) {
      assertThat(Path.of("/sys/devices/system/cpu/cpu" + cpu + "/node" + here[cpu])).exists();
    }
    Files.writeString(folder.resolve("online"), "0,2\n");
    Files.writeString(
        Files.createDirectory(folder.resolve("node0")).resolve("cpulist"), "0-3,8-11\n");
    Files.writeString(
        Files.createDirectory(folder.resolve("node2")).resolve("cpulist"), "4-7,12\n");
    assertThat(NumaNodes.ofCpus(folder.toString()))
        .startsWith(0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0, 0, 2);
  }

  @Test
  void listsCpus() {
    assertThat(Cpus.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
    assertThat(Cpus.parse("0")).containsExactly(0);
    assertThat(Cpus.parse("")).isEmpty();
    assertThat(Cpus.parse("0-255")).hasSize(256);
    assertThat(Cpus.online()).isNotEmpty();
    assertThat(Cpus.possible()).contains(Cpus.online());
  }
}
