package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Feature;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.LoadOptions;
import dev.plumb.bpf.Program;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.ProgramSpec;
import dev.plumb.bpf.object.VariableSpec;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelTracepoints;
import dev.plumb.collect.mode.CacheCollector;
import dev.plumb.collect.mode.ReadaheadCollector;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This kernel takes every program of every object that we ship, the ones that are used only where
 * the first way does not work included, with all filters off and with all of them on.
 */
@RequiresRoot
class ObjectsInKernelTest {
  private static final String ANY_EVENT = "sched/sched_process_exec";
  private static final KernelTypes TYPES = KernelTypes.running();

  /** Where the program that runs this begins. */
  private static final long ENTRY = entry();

  private static long entry() {
    try (ElfFile self = ElfFile.open(Path.of("/proc/self/exe").toRealPath())) {
      return self.segments().stream()
          .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
          .findFirst()
          .map(s -> self.entryPoint() - s.elfAddress() + s.fileOffset())
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> objects() throws Exception {
    List<String> names =
        inJarOrFolder(KernelPrograms.class.getResource(KernelPrograms.folder()).toURI());
    assertThat(names).contains("cpu", "offcpu", "target");
    return names.stream()
        .filter(name -> !name.equals("readahead") || ReadaheadCollector.problem().isEmpty())
        .filter(name -> !name.equals("cache") || CacheCollector.problem().isEmpty())
        .toList();
  }

  private static List<String> inJarOrFolder(URI place) throws IOException {
    if (!place.getScheme().equals("jar")) {
      return names(Path.of(place));
    }
    try (FileSystem jar = FileSystems.newFileSystem(place, Map.of())) {
      return names(jar.getPath(KernelPrograms.folder()));
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".o"))
          .map(name -> name.substring(0, name.length() - 2))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("objects")
  void loads(String object) {
    Collection.load(spec(object), LoadOptions.of(TYPES)).close();
  }

  /** Filters that are off are code that the kernel does not look at. */
  @OnEveryKernel
  @ParameterizedTest
  @MethodSource("objects")
  void loadsWithAllFiltersAndAttaches(String object) {
    CollectionSpec spec = spec(object);
    for (VariableSpec variable : spec.variables().values()) {
      // Switches are bytes.
      if (variable.name().startsWith("filter_") || variable.size() == 1) {
        byte[] value = new byte[variable.size()];
        value[0] = 1;
        spec.setVariable(variable.name(), value);
      }
    }
    try (Collection programs = Collection.load(spec, LoadOptions.of(TYPES))) {
      for (ProgramSpec program : spec.programs().values()) {
        if (program.autoload()) {
          attach(program, programs.program(program.name()));
        }
      }
    }
  }

  private static CollectionSpec spec(String object) {
    try (Arena arena = Arena.ofConfined();
        ElfFile elf = ElfFile.of(KernelPrograms.resource(object, arena), object)) {
      CollectionSpec spec = CollectionSpec.of(elf);
      spec.programs().values().forEach(program -> program.autoload(isPossible(program)));
      return spec;
    }
  }

  /** What a user names is attached to any function; older kernels lack some places. */
  private static boolean isPossible(ProgramSpec program) {
    if (program.section().matches("(tp_btf|raw_tp)/.*")) {
      return KernelTracepoints.exists(program.attachTarget());
    }
    if (program.section().startsWith("fentry/")) {
      return Feature.FENTRY.present() && KernelTracepoints.hasFunction(program.attachTarget());
    }
    boolean ofFunction = program.section().matches("fentry|fexit");
    if (ofFunction) {
      program.attachTarget("vfs_read");
    }
    return !ofFunction || Feature.FENTRY.present();
  }

  private static void attach(ProgramSpec spec, Program program) {
    String kind = spec.section().replaceFirst("/.*", "");
    switch (kind) {
      case "tp_btf", "fentry", "fexit" -> Links.tracing(program).close();
      case "raw_tp" -> Links.rawTracepoint(program, spec.attachTarget()).close();
      case "iter" -> Links.iter(program).close();
      case "perf_event" -> {
        PerfEventAttr clock = PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK).frequency(99);
        try (PerfEvent event = PerfEvent.open(clock, PerfEvent.ANY_PROCESS, 0);
            Link _ = Links.perfEvent(program, event)) {
          event.enable();
        }
      }
      case "tp" -> {
        String event = spec.attachTarget().isEmpty() ? ANY_EVENT : spec.attachTarget();
        String[] names = event.split("/");
        Links.tracepoint(program, names[0], names[1]).close();
      }
      case "uprobe", "uretprobe" -> {
        if (Feature.UPROBE.present()) {
          Links.uprobe(program, "/proc/self/exe", ENTRY, kind.equals("uretprobe"), -1, 0).close();
        }
      }
      case "uprobe.multi", "uretprobe.multi" ->
          Links.uprobeMulti(
                  program,
                  "/proc/self/exe",
                  new long[] {ENTRY},
                  new long[0],
                  new long[0],
                  kind.equals("uretprobe.multi"),
                  -1)
              .close();
      case "kprobe", "kretprobe" -> {
        if (Feature.KPROBE.present()) {
          Links.kprobe(program, "vfs_read", kind.equals("kretprobe")).close();
        }
      }
      default -> throw new AssertionError("no test attaches a program of section " + kind);
    }
  }
}
