package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.CollectionSpec;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.LoadOptions;
import dev.plumb.bpf.Program;
import dev.plumb.bpf.ProgramSpec;
import dev.plumb.bpf.VariableSpec;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.PerfEvent;
import dev.plumb.linux.PerfEventAttr;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This kernel takes every program of every object that we ship, the ones that are used only where
 * the first way does not work included, with all filters off and with all of them on.
 */
@RequiresRoot
@OnEveryKernel
class ObjectsInKernelTest {
  private static final KernelTypes TYPES = KernelTypes.running();

  static List<String> objects() throws Exception {
    String folder = KernelSide.folder().substring(1);
    URI classes = KernelSide.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    List<String> names =
        Files.isDirectory(Path.of(classes))
            ? inFolder(Path.of(classes).resolve(folder))
            : inJar(Path.of(classes), folder);
    assertThat(names).contains("cpu", "offcpu", "target");
    return names;
  }

  private static List<String> inFolder(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return names(files.map(file -> file.getFileName().toString()));
    }
  }

  private static List<String> inJar(Path jar, String folder) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return names(
          file.stream()
              .map(entry -> entry.getName())
              .filter(name -> name.startsWith(folder))
              .map(name -> name.substring(folder.length())));
    }
  }

  private static List<String> names(Stream<String> files) {
    return files
        .filter(name -> name.endsWith(".o"))
        .map(name -> name.substring(0, name.length() - 2))
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("objects")
  void loadsAndAttaches(String object) {
    CollectionSpec spec = spec(object);
    try (Collection programs = Collection.load(spec, LoadOptions.of(TYPES))) {
      assertThat(programs.programs().keySet()).isEqualTo(spec.programs().keySet());
      for (ProgramSpec program : spec.programs().values()) {
        attach(program, programs.program(program.name()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("objects")
  void loadsWithAllFilters(String object) {
    CollectionSpec spec = spec(object);
    for (VariableSpec variable : spec.variables().values()) {
      if (variable.name().startsWith("filter_")) {
        byte[] value = new byte[variable.size()];
        value[0] = 1;
        spec.setVariable(variable.name(), value);
      }
    }
    Collection.load(spec, LoadOptions.of(TYPES)).close();
  }

  private static CollectionSpec spec(String object) {
    try (Arena arena = Arena.ofConfined();
        ElfFile elf = ElfFile.of(KernelSide.resource(object, arena), object)) {
      CollectionSpec spec = CollectionSpec.of(elf);
      spec.programs().values().forEach(program -> program.autoload(true));
      return spec;
    }
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
      default -> throw new AssertionError("no test attaches a program of section " + kind);
    }
  }
}
