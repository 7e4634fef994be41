package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.UnsupportedException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.elf.Segment;
import dev.plumb.elf.SymbolTable;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Probes in a program of our own; what this kernel does not have is refused by name. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class LinksTest {
  private static final LoadOptions OPTIONS = LoadOptions.of(KernelTypes.running());

  /** Kernels before 5.15 have no cookies. */
  private static final long COOKIE = Feature.COOKIES.present() ? 0x1122334455L : 0;

  private final Path program = TestObjects.program("probed");
  private Collection collection;

  @BeforeEach
  void load() {
    Root.isNeeded();
    collection =
        Collection.load(
            Feature.COOKIES.present()
                ? TestObjects.spec("probes")
                : TestObjects.spec("probes", "-DNO_COOKIES"),
            OPTIONS);
  }

  @AfterEach
  void close() {
    if (collection != null) {
      collection.close();
    }
  }

  /** The file offset of a symbol of the probed program. */
  private long fileOffset(String name) {
    try (ElfFile elf = ElfFile.open(program)) {
      Section section = elf.section(".symtab").orElseThrow();
      SymbolTable symbols = elf.symbols(section);
      for (int i = 0; i < symbols.size(); i++) {
        if (symbols.name(i).equals(name)) {
          long address = symbols.value(i);
          for (Segment segment : elf.segments()) {
            if (segment.type() == Segment.PT_LOAD
                && address >= segment.elfAddress()
                && address < segment.elfAddress() + segment.fileSize()) {
              return address - segment.elfAddress() + segment.fileOffset();
            }
          }
        }
      }
    }
    throw new AssertionError(name);
  }

  private int exitCode(Process process) {
    try {
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Process start() {
    try {
      Process process = new ProcessBuilder(program.toString()).start();
      // The JDK starts a helper first, which then becomes the program.
      Path executable = Path.of("/proc/" + process.pid() + "/exe");
      while (process.isAlive() && !Files.isSameFile(executable, program)) {
        Thread.onSpinWait();
      }
      return process;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private long count(String variable) {
    return collection.variable(variable).get();
  }

  @Test
  void entryAndReturnInAllProcesses() {
    String path = program.toAbsolutePath().toString();
    long probed = fileOffset("probed");
    try (Link entry =
            Links.uprobe(
                collection.program("on_entry"),
                path,
                probed,
                false,
                -1,
                fileOffset("semaphore"),
                COOKIE);
        Link exit =
            Links.uprobe(
                collection.program("on_return"), path, probed, true, -1, fileOffset("semaphore"))) {
      assertThat(entry.fd().isPresent()).isEqualTo(Feature.PERF_EVENT_LINK.present());
      assertThat(exit.toString()).contains("uretprobe");
      assertThat(exitCode(start())).isEqualTo(42);
      assertThat(count("entries")).isEqualTo(1);
      assertThat(count("argument")).isEqualTo(41);
      assertThat(count("cookie")).isEqualTo(COOKIE);
      assertThat(count("returns")).isEqualTo(1);
      assertThat(count("result")).isEqualTo(42);
    }
  }

  @Test
  void oneProcessOnly() {
    Process watched = start();
    Process other = start();
    try (Link _ =
        Links.uprobe(
            collection.program("on_entry"),
            program.toAbsolutePath().toString(),
            fileOffset("probed"),
            false,
            (int) watched.pid(),
            fileOffset("semaphore"))) {
      assertThat(exitCode(watched)).isEqualTo(42);
      assertThat(count("entries")).isEqualTo(1);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void manyPlacesAtOnce() {
    long[] places = {fileOffset("probed"), fileOffset("main")};
    long[] semaphores = {fileOffset("semaphore"), 0};
    long[] cookies = Feature.COOKIES.present() ? new long[] {1000, 1} : new long[0];
    String path = program.toAbsolutePath().toString();
    try (Link link =
        Links.uprobeMulti(
            collection.program("on_many"), path, places, semaphores, cookies, false, -1)) {
      assertThat(link.fd().isPresent()).isEqualTo(Feature.UPROBE_MULTI.present());
      assertThat(exitCode(start())).isEqualTo(42);
      assertThat(count("multi")).isEqualTo(2);
      assertThat(count("cookies")).isEqualTo(Feature.COOKIES.present() ? 1001 : 0);
    }
    assertThatThrownBy(
            () ->
                Links.uprobeMulti(
                    collection.program("on_many"),
                    path,
                    places,
                    new long[1],
                    new long[0],
                    false,
                    -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 semaphores for 2 places");
  }

  /** As on kernels without links to many places. */
  @Test
  void manyPlacesOneByOne() {
    String path = program.toAbsolutePath().toString();
    long[] places = {fileOffset("main"), fileOffset("probed")};
    Program onEntry = collection.program("on_entry");
    try (Link link =
        Links.each(
            "both",
            2,
            i ->
                Links.uprobe(
                    onEntry, path, places[i], false, -1, i == 1 ? fileOffset("semaphore") : 0))) {
      assertThat(link.fd()).isEmpty();
      assertThat(exitCode(start())).isEqualTo(42);
      assertThat(count("entries")).isEqualTo(2);
    }
    // The second one fails, so the first one must not stay either.
    assertThatThrownBy(
            () ->
                Links.each(
                    "none",
                    2,
                    i -> Links.uprobe(onEntry, i == 0 ? path : "/no/such", 0, false, -1, 0)))
        .hasMessageContaining("/no/such");
  }

  @Test
  void cookiesOfTracepoints() {
    try (Link _ =
        Links.tracepoint(
            collection.program("on_tracepoint"), "syscalls", "sys_enter_gettid", COOKIE)) {
      ProcessCalls.gettid();
      assertThat(count("entries")).isPositive();
      assertThat(count("cookie")).isEqualTo(COOKIE);
    }
    long before = count("entries");
    ProcessCalls.gettid();
    assertThat(count("entries")).as("after the link is closed").isEqualTo(before);
  }

  @Test
  void kernelFunctionsIfThisKernelHasKprobes() {
    if (Feature.KPROBE.present()) {
      Links.kprobe(collection.program("on_function"), "schedule", false).close();
    } else {
      assertThatThrownBy(() -> Links.kprobe(collection.program("on_function"), "schedule", false))
          .isInstanceOf(UnsupportedException.class)
          .hasMessageContaining("kprobes by perf_event_open: needs Linux 4.17")
          .hasMessageContaining(KernelVersion.current().toString());
    }
    Program many = collection.program("on_functions");
    if (Feature.KPROBE.present() || Feature.KPROBE_MULTI.present()) {
      Links.kprobeMulti(many, List.of("schedule", "vfs_read"), false).close();
    } else {
      assertThatThrownBy(() -> Links.kprobeMulti(many, List.of("schedule"), false))
          .isInstanceOf(UnsupportedException.class)
          .hasMessageContaining("kprobes");
    }
  }

  @Test
  void wrongTargetsAreNamed() {
    assertThatThrownBy(
            () -> Links.uprobe(collection.program("on_entry"), "/no/such", 0, false, -1, 0))
        .hasMessageContaining("/no/such")
        .hasMessageContaining("ENOENT");
    assertThatThrownBy(() -> Links.rawTracepoint(collection.program("on_entry"), "sched_switch"))
        .hasMessageContaining("program on_entry on raw tracepoint sched_switch");
    assertThatThrownBy(() -> Links.iter(collection.program("on_entry")))
        .hasMessageContaining("LINK_CREATE");
  }
}
