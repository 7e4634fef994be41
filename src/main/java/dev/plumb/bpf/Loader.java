package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.Extern;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.bpf.object.ProgramLinker;
import dev.plumb.bpf.object.ProgramSpec;
import dev.plumb.bpf.object.SourceLines;
import dev.plumb.linux.Fd;
import dev.plumb.linux.kernel.KernelVersion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One load: types, then maps, then programs, then what stands in maps from the start. */
final class Loader {
  private final CollectionSpec spec;
  private final LoadOptions options;
  private final Map<String, BpfMap> maps = new LinkedHashMap<>();
  private final Map<String, Program> programs = new LinkedHashMap<>();

  Loader(CollectionSpec spec, LoadOptions options) {
    this.spec = spec;
    this.options = options;
  }

  Collection load() {
    boolean done = false;
    try (ModuleTypes modules = new ModuleTypes(options.kernelTypes());
        TypesInKernel types = TypesInKernel.load(spec.kernelTypes())) {
      if (!types.problem().isEmpty()) {
        options.log().ifPresent(sink -> sink.accept("BTF refused: " + types.problem()));
      }
      ExternResolver externs = new ExternResolver(spec, modules);
      spec.maps().values().forEach(map -> create(map, types));
      externs.configMap().ifPresent(map -> create(map, types));
      spec.maps().values().forEach(this::putMaps);
      loadPrograms(types, externs, modules);
      spec.maps().values().forEach(this::putPrograms);
      Collection collection = new Collection(spec, maps, programs);
      done = true;
      return collection;
    } finally {
      if (!done) {
        programs.values().forEach(Program::close);
        maps.values().forEach(BpfMap::close);
      }
    }
  }

  private void create(MapSpec map, TypesInKernel types) {
    BpfMap shared = options.shared().get(map.name());
    if (shared != null) {
      if (shared.type() != map.type()
          || shared.keySize() != map.keySize()
          || shared.valueSize() != map.valueSize()) {
        throw new BpfException(map + ": the shared one has another type, key or value");
      }
      maps.put(map.name(), shared.duplicate());
      return;
    }
    BpfMap created;
    if (map.inner().isPresent()) {
      try (BpfMap inner = MapCreation.create(map.inner().get(), types.fd(), Optional.empty())) {
        created = MapCreation.create(map, types.fd(), Optional.of(inner));
      }
    } else {
      created = MapCreation.create(map, types.fd(), Optional.empty());
    }
    maps.put(map.name(), created);
    map.contents().ifPresent(contents -> fill(created, contents));
    if (map.isFrozen()) {
      BpfCalls.freeze(created.fd());
    }
  }

  private static void fill(BpfMap map, byte[] contents) {
    try (Arena arena = Arena.ofConfined()) {
      map.update(
          arena.allocateFrom(JAVA_INT, 0),
          arena.allocateFrom(ValueLayout.JAVA_BYTE, contents),
          BpfMap.ANY);
    }
  }

  private void loadPrograms(TypesInKernel types, ExternResolver externs, ModuleTypes modules) {
    CoreRelocator relocator = spec.relocator(options.relocationTypes());
    ProgramLinker linker =
        new ProgramLinker(
            relocator,
            new ProgramLinker.References() {
              @Override
              public int mapFd(MapSpec map) {
                return maps.get(map.name()).fd();
              }

              @Override
              public ProgramLinker.Resolved resolve(Extern extern) {
                return externs.resolve(extern);
              }
            });
    for (ProgramSpec program : spec.programs().values()) {
      if (program.autoload()) {
        programs.put(program.name(), load(program, linker, types, modules));
      }
    }
  }

  /**
   * What to tell the kernel: a program for many probes at once is an ordinary one where the kernel
   * has no such links, because it would not let it be attached to single ones.
   */
  private static int attachType(ProgramKind kind) {
    return switch (kind.attachType()) {
      case ProgramKind.ATTACH_KPROBE_MULTI ->
          Feature.KPROBE_MULTI.present() ? kind.attachType() : 0;
      case ProgramKind.ATTACH_UPROBE_MULTI ->
          Feature.UPROBE_MULTI.present() ? kind.attachType() : 0;
      default -> kind.attachType();
    };
  }

  private Program load(
      ProgramSpec program, ProgramLinker linker, TypesInKernel types, ModuleTypes modules) {
    ProgramLoad.AttachTarget target =
        modules.attachTarget(program.kind(), program.attachTarget(), program.name());
    ProgramLinker.Linked linked = linker.link(program.code());
    ProgramLoad load =
        new ProgramLoad(
            program.name(),
            program.kind(),
            attachType(program.kind()),
            target,
            linked,
            types.fd(),
            SourceLines.of(spec.types(), linked.lineInfo()),
            spec.license(),
            spec.version() != 0 ? spec.version() : KernelVersion.current().code());
    StringBuilder log = new StringBuilder();
    try {
      Fd fd = load.load(options.log().isPresent(), log);
      return new Program(fd, program, log.toString());
    } finally {
      if (!log.isEmpty()) {
        options.log().ifPresent(sink -> sink.accept(log.toString()));
      }
    }
  }

  private void putMaps(MapSpec holder) {
    if (MapType.isMapOfMaps(holder.type())) {
      holder.slots().forEach((slot, name) -> put(holder, slot, maps.get(name).fd()));
    }
  }

  private void putPrograms(MapSpec holder) {
    if (!MapType.isMapOfMaps(holder.type())) {
      holder
          .slots()
          .forEach(
              (slot, name) -> {
                Program program = programs.get(name);
                if (program != null) {
                  put(holder, slot, program.fd());
                }
              });
    }
  }

  private void put(MapSpec holder, int slot, int fd) {
    BpfMap map = maps.get(holder.name());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment key = arena.allocateFrom(JAVA_INT, slot);
      map.update(key, arena.allocateFrom(JAVA_INT, fd), BpfMap.ANY);
    }
  }
}
