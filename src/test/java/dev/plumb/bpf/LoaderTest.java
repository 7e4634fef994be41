package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.linux.Fd;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads a small collection for real and attaches each kind of program that this kernel has. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class LoaderTest {
  private static final KernelTypes TYPES = KernelTypes.running();

  private CollectionSpec spec;

  /** What {@code struct record} of the object holds. */
  private record Event(long stamp, int tgid, int sum, String comm) {
    static Event of(MemorySegment bytes) {
      assertThat(bytes.byteSize()).isEqualTo(32);
      return new Event(
          bytes.get(JAVA_LONG, 0),
          bytes.get(JAVA_INT, 8),
          bytes.get(JAVA_INT, 12),
          bytes.getString(16));
    }
  }

  @BeforeAll
  static void root() {
    Root.isNeeded();
  }

  @BeforeEach
  void spec() {
    spec = TestObjects.spec("first");
    spec.setVariable("target_tgid", ProcessCalls.getpid())
        .setVariable("only_target", true)
        .setVariable("stamp", 0x1122334455667788L)
        .setVariable("tag", new byte[] {5, 0, 0, 0, 0, 0, 0, 0});
  }

  private Collection load() {
    return Collection.load(spec, LoadOptions.of(TYPES));
  }

  private List<Event> eventsOf(Collection collection, Runnable action) {
    List<Event> events = new ArrayList<>();
    try (RingBuffer ring = new RingBuffer()) {
      ring.add(collection.map("events"), bytes -> events.add(Event.of(bytes)));
      ring.consume();
      events.clear();
      action.run();
      for (int i = 0; i < 100 && events.isEmpty(); i++) {
        ring.poll(20);
      }
    }
    return events;
  }

  private void assertOurs(List<Event> events) {
    assertThat(events).isNotEmpty();
    assertThat(events)
        .allSatisfy(
            event -> {
              assertThat(event.stamp).isEqualTo(0x1122334455667788L);
              assertThat(event.tgid).isEqualTo(ProcessCalls.getpid());
              assertThat(event.sum).isEqualTo(1 + 5 + 42);
              assertThat(event.comm).isEqualTo("java");
            });
  }

  @Test
  void perfEventSamplesUs() {
    try (Collection collection = load();
        PerfEvent event =
            PerfEvent.open(
                PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK)
                    .frequency(999)
                    .flags(PerfEventAttr.Flag.DISABLED),
                0,
                PerfEvent.ANY_CPU);
        Link link = Links.perfEvent(collection.program("on_sample"), event)) {
      assertThat(link.fd().isPresent()).isEqualTo(Feature.PERF_EVENT_LINK.present());
      assertOurs(
          eventsOf(
              collection,
              () -> {
                long end = System.nanoTime() + 30_000_000;
                while (System.nanoTime() < end) {
                  Thread.onSpinWait();
                }
              }));
    }
  }

  @Test
  void theOlderWayToAttachToAPerfEventWorks() {
    try (Collection collection = load();
        PerfEvent event =
            PerfEvent.open(
                PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK).frequency(999),
                0,
                PerfEvent.ANY_CPU);
        Link link =
            Links.perfEventIoctl(
                collection.program("on_sample"), event, 0, List.of(event::disable))) {
      assertThat(link.fd()).isEmpty();
      assertOurs(
          eventsOf(
              collection,
              () -> {
                long end = System.nanoTime() + 30_000_000;
                while (System.nanoTime() < end) {
                  Thread.onSpinWait();
                }
              }));
    }
  }

  @Test
  void tracepointsOfAllKindsCallUs() {
    try (Collection collection = load()) {
      try (Link _ = Links.tracing(collection.program("on_switch"))) {
        assertOurs(eventsOf(collection, LoaderTest::sleep));
      }
      try (Link _ = Links.rawTracepoint(collection.program("on_enter"), "sys_enter")) {
        assertOurs(eventsOf(collection, ProcessCalls::getpid));
      }
      assertThat(collection.variable("seen").get()).isGreaterThanOrEqualTo(2);
      assertThat(collection.variable("answer").get()).isEqualTo(42);
      collection.variable("answer").set(43);
      try (Link _ =
          Links.tracepoint(collection.program("on_gettid"), "syscalls", "sys_enter_gettid")) {
        List<Event> events = eventsOf(collection, ProcessCalls::gettid);
        assertThat(events).isNotEmpty();
        assertThat(events.getFirst().sum).isEqualTo(1 + 5 + 43);
      }
      assertThatThrownBy(
              () -> Links.tracepoint(collection.program("on_gettid"), "syscalls", "nonsense"))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("syscalls:nonsense");
    }
  }

  @Test
  void mapsCountPerCpuToo() {
    try (Collection collection = load();
        Link _ = Links.rawTracepoint(collection.program("on_enter"), "sys_enter");
        Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < 10; i++) {
        ProcessCalls.getpid();
      }
      MemorySegment key = arena.allocateFrom(JAVA_INT, ProcessCalls.getpid());
      MemorySegment value = arena.allocate(JAVA_LONG);
      assertThat(collection.map("counts").lookup(key, value)).isTrue();
      assertThat(value.get(JAVA_LONG, 0)).isGreaterThanOrEqualTo(10);
      BpfMap percpu = collection.map("percpu");
      assertThat(percpu.valueStride()).isEqualTo(8 * Cpus.possibleCount());
      MemorySegment values = arena.allocate(percpu.valueStride(), 8);
      assertThat(percpu.lookup(arena.allocateFrom(JAVA_INT, 0), values)).isTrue();
      long sum = 0;
      for (int cpu = 0; cpu < Cpus.possibleCount(); cpu++) {
        sum += values.get(JAVA_LONG, (long) cpu * percpu.perCpuStride());
      }
      assertThat(sum).isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void anIteratorGoesOverAllProcesses() throws Exception {
    try (Collection collection = load();
        Link link = Links.iter(collection.program("each_task"))) {
      ByteBuffer bytes = ByteBuffer.wrap(link.readIterator()).order(ByteOrder.LITTLE_ENDIAN);
      List<Integer> tgids = new ArrayList<>();
      while (bytes.hasRemaining()) {
        tgids.add(bytes.getInt());
      }
      assertThat(tgids).contains(ProcessCalls.getpid()).doesNotHaveDuplicates();
      long listed;
      try (var files = Files.list(Path.of("/proc"))) {
        listed = files.filter(p -> p.getFileName().toString().matches("\\d+")).count();
      }
      assertThat((long) tgids.size()).isBetween(listed - 10, listed + 10);
    }
  }

  @Test
  void statisticsAreCounted() {
    try (Collection collection = load();
        Fd _ = Program.enableStatistics();
        Link _ = Links.rawTracepoint(collection.program("on_enter"), "sys_enter")) {
      ProcessCalls.getpid();
      Program.Statistics statistics = collection.program("on_enter").statistics();
      assertThat(statistics.calls()).isPositive();
      assertThat(statistics.nanos()).isPositive();
      assertThat(collection.program("on_enter").id()).isPositive();
      assertThat(collection.program("on_enter").verifiedInstructions() > 0)
          .isEqualTo(KernelVersion.current().isAtLeast(5, 16));
    }
  }

  @Test
  void whatIsNotThereIsNamed() {
    assertThatThrownBy(() -> spec.setVariable("nonsense", 1))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("nonsense")
        .hasMessageContaining("target_tgid");
    assertThatThrownBy(() -> spec.setVariable("target_tgid", 1L << 33))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("does not fit into 4 bytes");
    assertThatThrownBy(() -> spec.setVariable("tag", new byte[3]))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("8 bytes");
    assertThatThrownBy(() -> spec.setVariable("tag", 3))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("array");
    spec.program("not_loaded").autoload(true);
    assertThatThrownBy(this::load)
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("not_loaded")
        .hasMessageContaining("fentry no_such_function");
  }

  private static void sleep() {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
