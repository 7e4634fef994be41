package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Programs are run once and have to find what the object file promised them. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class LoadedDataTest {
  private static final LoadOptions OPTIONS = LoadOptions.of(KernelTypes.running());

  @BeforeAll
  static void root() {
    Root.isNeeded();
  }

  /** Kernel functions for programs like these came with 6.2. */
  private static CollectionSpec externs() {
    int function = OPTIONS.kernelTypes().kernel().find("bpf_rcu_read_lock", BtfKind.FUNC);
    return function > 0
        ? TestObjects.spec("externs")
        : TestObjects.spec("externs", "-DNO_KERNEL_FUNCTIONS");
  }

  private static int run(Collection collection, String program) {
    try (Arena arena = Arena.ofConfined()) {
      return collection.program(program).run(arena.allocate(16, 8));
    }
  }

  @Test
  void mapsHoldMapsAndPrograms() {
    CollectionSpec spec =
        KernelVersion.current().isAtLeast(5, 16)
            ? TestObjects.spec("maps")
            : TestObjects.spec("maps", "-DNO_BLOOM_FILTER");
    try (Collection collection = Collection.load(spec, OPTIONS);
        Arena arena = Arena.ofConfined()) {
      assertThat(run(collection, "use")).isEqualTo(7);
      assertThat(collection.variable("tails").get()).isEqualTo(1);
      assertThat(collection.variable("found").get()).isEqualTo(11);
      MemorySegment value = arena.allocate(JAVA_LONG);
      MemorySegment zero = arena.allocateFrom(JAVA_INT, 0);
      assertThat(collection.map("two").lookup(zero, value)).isTrue();
      assertThat(value.get(JAVA_LONG, 0)).isEqualTo(11);
      assertThat(collection.map("one").lookup(zero, value)).isTrue();
      assertThat(value.get(JAVA_LONG, 0)).isZero();
      MemorySegment id = arena.allocate(JAVA_INT);
      assertThat(collection.map("outer").lookup(arena.allocateFrom(JAVA_INT, 2), id)).isTrue();
      assertThat(collection.map("outer").lookup(arena.allocateFrom(JAVA_INT, 1), id)).isFalse();
      // A third map of the same shape can be put in later.
      collection
          .map("outer")
          .update(
              arena.allocateFrom(JAVA_INT, 1),
              arena.allocateFrom(JAVA_INT, collection.map("one").fd()),
              BpfMap.ANY);
      assertThat(collection.map("outer").lookup(arena.allocateFrom(JAVA_INT, 1), id)).isTrue();
      assertThat(collection.map("on_node").memory().get(JAVA_LONG, 0)).isEqualTo(3);
      assertThatThrownBy(() -> collection.map("typed").memory())
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("typed");
    }
  }

  @Test
  void dataOfAllSections() {
    CollectionSpec spec = TestObjects.spec("data");
    assertThat(spec.maps())
        .containsKeys(".rodata", ".rodata.custom", ".data", ".data.custom", ".bss", ".bss.custom");
    spec.setVariable("small", 255)
        .setVariable("negative", -300)
        .setVariable("color", 1)
        .setVariable("hidden", 1)
        .setVariable("custom", 2)
        .setVariable("initialised", 1000)
        .setVariable("flag", true)
        .setVariable("zeroed", 5);
    assertThatThrownBy(() -> spec.setVariable("small", 256)).isInstanceOf(BpfException.class);
    assertThatThrownBy(() -> spec.setVariable("small", -129)).isInstanceOf(BpfException.class);
    try (Collection collection = Collection.load(spec, OPTIONS)) {
      run(collection, "use");
      assertThat(collection.variable("zeroed").get())
          .isEqualTo(5 + 255 - 300 + 1 + 1 + 'r' + 1 + 2);
      assertThat(collection.variable("counter").get()).isEqualTo(1009);
      assertThat(collection.variable("other").get()).isEqualTo(1009);
      assertThat(collection.variable("big").get()).isEqualTo(-2);
      assertThat(collection.variable("flag").get()).isZero();
      assertThat(collection.variable("small").get()).isEqualTo(255);
      assertThat(collection.variable("negative").get()).isEqualTo(-300);
      assertThat(collection.variable("private_state").get()).isEqualTo(5);
      assertThat(collection.variable("sums").size()).isEqualTo(64);
      assertThat(collection.variable("moving").memory().get(JAVA_INT, 0)).isEqualTo(7);
      byte[] name = collection.variable("origin").memory().asSlice(6, 6).toArray(JAVA_BYTE);
      assertThat(new String(name, StandardCharsets.US_ASCII)).isEqualTo("origin");
      assertThatThrownBy(() -> collection.variable("small").set(1))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("const");
      assertThatThrownBy(() -> collection.variable("moving").get())
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("struct");
      collection.variable("zeroed").set(-1);
      assertThat(collection.variable("zeroed").get()).isEqualTo(-1);
    }
    // The spec can be loaded again, as it was.
    try (Collection collection = Collection.load(spec, OPTIONS)) {
      assertThat(collection.variable("zeroed").get()).isEqualTo(5);
    }
  }

  @Test
  void functionsAndCallbacks() {
    CollectionSpec spec = TestObjects.spec("functions");
    spec.program("callbacks").autoload(Feature.BPF_LOOP.present());
    try (Collection collection = Collection.load(spec, OPTIONS)) {
      int total = 0;
      if (Feature.BPF_LOOP.present()) {
        total = 1 + 2 + 3 + 4 + 5 + 6;
        assertThat(run(collection, "callbacks")).isEqualTo(3 * total);
        assertThat(collection.variable("total").get()).isEqualTo(total);
      }
      int twice3 = 3 * 3 + 4 * 3;
      int global4 = 4 * 3 + 5 * 3 - 1;
      int replaced5 = (5 * 3 + 6 * 3 - 1) ^ 5;
      assertThat(run(collection, "calls")).isEqualTo(twice3 + global4 + replaced5 + total + 6);
    }
  }

  @Test
  void configurationAndSymbols() throws Exception {
    try (Collection collection = Collection.load(externs(), OPTIONS)) {
      run(collection, "config");
      run(collection, "symbols");
      assertThat(collection.variable("version").get())
          .isEqualTo(KernelVersion.current().code())
          .isGreaterThan(5 << 16);
      assertThat(collection.variable("has_syscall").get()).isEqualTo(1);
      assertThat(collection.variable("yes").get()).isEqualTo('y');
      assertThat(collection.variable("hz").get()).isEqualTo(Long.parseLong(option("CONFIG_HZ")));
      assertThat(collection.variable("cpus").get())
          .isEqualTo(Long.parseLong(option("CONFIG_NR_CPUS")));
      assertThat(collection.variable("name").get())
          .isEqualTo(option("CONFIG_DEFAULT_HOSTNAME").charAt(2));
      assertThat(collection.variable("missing").get()).isEqualTo(1);
      String line =
          Files.readAllLines(Path.of("/proc/kallsyms")).stream()
              .filter(symbol -> symbol.endsWith(" schedule"))
              .findFirst()
              .orElseThrow();
      assertThat(collection.variable("address").get())
          .isEqualTo(Long.parseUnsignedLong(line.substring(0, 16), 16));
    }
  }

  @Test
  void typedVariablesAreFoundByTheirTypes() {
    CollectionSpec spec = externs();
    spec.program("variables").autoload(true);
    if (OPTIONS.kernelTypes().kernel().find("runqueues", BtfKind.VAR) < 0) {
      // Kernels built with an older pahole have no types of variables.
      assertThatThrownBy(() -> Collection.load(spec, OPTIONS))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("no variable in its types named runqueues");
      return;
    }
    boolean listed = KernelSymbols.addresses(java.util.List.of("runqueues")).size() == 1;
    if (listed) {
      try (Collection collection = Collection.load(spec, OPTIONS)) {
        assertThat(run(collection, "variables")).isZero();
      }
    } else {
      // That the kernel says its name shows that the type number was right.
      assertThatThrownBy(() -> Collection.load(spec, OPTIONS))
          .isInstanceOf(VerifierException.class)
          .hasMessageContaining("kernel symbol 'runqueues'");
    }
  }

  private static String option(String name) throws Exception {
    Path running = Path.of("/proc/config.gz");
    String release = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
    try (InputStream in =
        Files.exists(running)
            ? new GZIPInputStream(Files.newInputStream(running))
            : Files.newInputStream(Path.of("/boot/config-" + release))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(name + "="))
          .findFirst()
          .orElseThrow()
          .substring(name.length() + 1);
    }
  }
}
