package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.linux.Fd;
import dev.plumb.testing.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What we load is what bpftool (libbpf) loads: each program's instructions after verification, its
 * tag, which covers dead code, its BTF records, and the maps that it uses.
 */
@ExtendWith(NoLeaks.class)
class BpftoolOracleTest {
  private static final KernelTypes TYPES = KernelTypes.running();

  /** What is missing and never reached is marked by other numbers. */
  private static final Set<String> OTHER_DEAD_CODE = Set.of("functions", "direct");

  @TempDir Path folder;

  @BeforeAll
  static void root() {
    Root.isNeeded();
  }

  private record Loaded(
      Map<String, Inspect.ProgramInfo> programs, Map<String, Inspect.MapInfo> maps) {}

  @ParameterizedTest
  @ValueSource(strings = {"first", "maps", "data", "functions", "externs", "kinds", "core_running"})
  void loadsAsLibbpfDoes(String name) {
    Loaded theirs = theirs(TestObjects.compile(name, "-DORACLE"));
    Loaded ours = ours(name);
    assertThat(ours.programs.keySet()).isEqualTo(theirs.programs.keySet());
    theirs.programs.forEach(
        (program, info) -> {
          Inspect.ProgramInfo own = ours.programs.get(program);
          assertThat(own.instructions()).as(program).isEqualTo(info.instructions());
          if (!OTHER_DEAD_CODE.contains(program)) {
            assertThat(own).isEqualTo(info);
          }
        });
    assertThat(ours.maps).isEqualTo(theirs.maps);
  }

  private Loaded ours(String name) {
    CollectionSpec spec = TestObjects.spec(name, "-DORACLE");
    Map<String, Inspect.ProgramInfo> programs = new TreeMap<>();
    Map<String, Inspect.MapInfo> maps = new TreeMap<>();
    try (Collection collection = Collection.load(spec, LoadOptions.of(TYPES))) {
      collection.programs().values().forEach(program -> add(program.fd(), programs, maps));
    }
    return new Loaded(programs, maps);
  }

  private Loaded theirs(Path object) {
    Map<String, Inspect.ProgramInfo> programs = new TreeMap<>();
    Map<String, Inspect.MapInfo> maps = new TreeMap<>();
    try (Inspect.PinFolder pins = new Inspect.PinFolder(folder)) {
      Path pinned = pins.path().resolve("all");
      TestObjects.run(List.of("bpftool", "prog", "loadall", object.toString(), pinned.toString()));
      try (var files = Files.list(pinned)) {
        for (Path file : new ArrayList<>(files.toList())) {
          try (Fd fd = Inspect.pinned(file)) {
            add(fd.number(), programs, maps);
          }
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return new Loaded(programs, maps);
  }

  private static void add(
      int fd, Map<String, Inspect.ProgramInfo> programs, Map<String, Inspect.MapInfo> maps) {
    Inspect.ProgramInfo program = Inspect.program(fd);
    programs.put(program.name(), program);
    for (int id : Inspect.mapIds(fd)) {
      Inspect.MapInfo map = Inspect.map(id);
      maps.put(map.name(), map);
    }
  }
}
