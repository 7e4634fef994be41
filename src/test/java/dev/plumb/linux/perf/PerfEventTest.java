package dev.plumb.linux.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.linux.Fd;
import dev.plumb.linux.PageSize;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Tracefs;
import dev.plumb.testing.OnEveryKernel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events are opened for real; what needs rights says so when it is skipped. */
@OnEveryKernel
class PerfEventTest {
  private int openBefore;

  @BeforeEach
  void count() {
    openBefore = Fd.openCount();
  }

  @AfterEach
  void nothingLeaked() {
    assertThat(Fd.openCount()).isEqualTo(openBefore);
  }

  @Test
  void bitsAreWhereTheKernelReadsThem() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr =
          PerfEventAttr.software(PerfEventAttr.SW_DUMMY)
              .frequency(99)
              .sampleType(PerfEventAttr.SAMPLE_TID | PerfEventAttr.SAMPLE_TIME)
              .flags(PerfEventAttr.Flag.MMAP2, PerfEventAttr.Flag.COMM_EXEC)
              .flags(PerfEventAttr.Flag.BUILD_ID)
              .wakeupWatermark(4096)
              .clock(SystemCalls.CLOCK_MONOTONIC)
              .toSegment(arena);
      assertThat(attr.get(ValueLayout.JAVA_INT, 0)).isEqualTo(PerfEventAttr.TYPE_SOFTWARE);
      assertThat(attr.get(ValueLayout.JAVA_INT, 4)).isEqualTo(128);
      assertThat(attr.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(99);
      assertThat(attr.get(ValueLayout.JAVA_LONG, 40))
          .isEqualTo(1L << 10 | 1L << 14 | 1L << 23 | 1L << 24 | 1L << 25 | 1L << 34);
      assertThat(attr.get(ValueLayout.JAVA_INT, 48)).isEqualTo(4096);
      assertThat(attr.get(ValueLayout.JAVA_INT, 92)).isEqualTo(1);
    }
  }

  @Test
  void theAuxiliaryVectorHasThePageSize() throws IOException {
    byte[] auxv = Files.readAllBytes(Path.of("/proc/self/auxv"));
    assertThat(PageSize.parse(auxv)).isEqualTo(SystemCalls.PAGE_SIZE);
    assertThat(PageSize.parse(new byte[3])).isEqualTo(4096);
  }

  @Test
  void countsThisThreadsTime() {
    PerfEventAttr attr =
        PerfEventAttr.software(PerfEventAttr.SW_TASK_CLOCK).flags(PerfEventAttr.Flag.DISABLED);
    try (PerfEvent event = PerfEvent.open(attr, 0, PerfEvent.ANY_CPU)) {
      assertThat(event.read()).isZero();
      event.enable();
      long end = System.nanoTime() + 5_000_000;
      while (System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      event.disable();
      long nanos = event.read();
      assertThat(nanos).isBetween(500_000L, 5_000_000_000L);
      assertThat(event.read()).isEqualTo(nanos);
      event.reset();
      assertThat(event.read()).isZero();
      assertThat(event.id()).isPositive();
    }
  }

  @Test
  void tracepointsCanBeFoundAndOpenedWithoutAMount() {
    try (Tracefs tracefs = Tracefs.open()) {
      assertThat(tracefs.categories()).contains("sched", "syscalls");
      assertThat(tracefs.events("sched")).contains("sched_switch");
      assertThat(tracefs.format("sched", "sched_switch").orElseThrow()).contains("prev_pid");
      assertThat(tracefs.eventId("sched", "no_such_thing")).isEmpty();
      int id = tracefs.eventId("sched", "sched_switch").orElseThrow();
      try (PerfEvent event =
          PerfEvent.open(PerfEventAttr.tracepoint(id), PerfEvent.ANY_PROCESS, 0)) {
        long before = event.read();
        for (int i = 0; i < 200 && event.read() == before; i++) {
          Thread.sleep(1);
        }
        assertThat(event.read()).isGreaterThan(before);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aRefusalNamesTheEventAndWhatToDo() {
    PerfEventAttr attr = PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK);
    assertThatThrownBy(() -> PerfEvent.open(attr, PerfEvent.ANY_PROCESS, 4095))
        .isInstanceOf(SyscallException.class)
        .hasMessageContaining("software event 0")
        .hasMessageContaining("cpu 4095");
    assertThat(PerfEvent.tryOpen(attr, PerfEvent.ANY_PROCESS, 4095)).isNegative();
  }
}
