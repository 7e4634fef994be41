package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds kernel functions, variables and tracepoints by name: their type numbers, in the kernel's
 * BTF or in a module's, for which the kernel wants a descriptor. Those are kept open for one load.
 */
final class ModuleTypes implements AutoCloseable {
  private final KernelTypes types;
  private final Map<String, Fd> open = new HashMap<>();

  /** A type of the kernel (fd 0), or of a module. */
  record Found(int id, int fd, KernelTypes.Module module) {
    boolean inModule() {
      return module != null;
    }
  }

  ModuleTypes(KernelTypes types) {
    this.types = types;
  }

  KernelTypes types() {
    return types;
  }

  Optional<Found> find(String name, int kind) {
    int id = types.kernel().find(name, kind);
    if (id > 0) {
      return Optional.of(new Found(id, 0, null));
    }
    for (KernelTypes.Module module : types.modules()) {
      int inModule = module.types().find(name, kind);
      if (inModule >= module.types().firstId()) {
        return Optional.of(new Found(inModule, fd(module.name()), module));
      }
    }
    return Optional.empty();
  }

  ProgramLoad.AttachTarget attachTarget(ProgramKind kind, String target, String program) {
    if (kind.target() == ProgramKind.Target.NONE) {
      return ProgramLoad.AttachTarget.NONE;
    }
    if (target.isEmpty()) {
      throw new BpfException(
          "program " + program + ": section \"" + kind.prefix() + "\" does not say what for");
    }
    String name =
        switch (kind.target()) {
          case TRACEPOINT -> "btf_trace_" + target;
          case ITERATOR -> "bpf_iter_" + target;
          default -> target;
        };
    int type = kind.target() == ProgramKind.Target.TRACEPOINT ? BtfKind.TYPEDEF : BtfKind.FUNC;
    return find(name, type)
        .map(found -> new ProgramLoad.AttachTarget(found.id(), found.fd()))
        .orElseThrow(
            () ->
                new BpfException(
                    "program " + program + ": this kernel has no " + kind.prefix() + " " + target));
  }

  private int fd(String module) {
    return open.computeIfAbsent(module, ModuleTypes::open).number();
  }

  /** Goes through the kernel's BTF objects until one has the name. */
  private static Fd open(String module) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = BpfCalls.attr(arena);
      int id = 0;
      while (true) {
        attr.fill((byte) 0);
        attr.set(JAVA_INT, 0, id);
        BpfCalls.check(
            SystemCalls.tryBpf(BpfCalls.BTF_GET_NEXT_ID, attr),
            "BTF_GET_NEXT_ID, looking for module " + module);
        id = attr.get(JAVA_INT, 4);
        attr.fill((byte) 0);
        attr.set(JAVA_INT, 0, id);
        long result = SystemCalls.tryBpf(BpfCalls.BTF_GET_FD_BY_ID, attr);
        if (result < 0) {
          continue;
        }
        Fd fd = new Fd((int) result);
        if (name(fd, arena).equals(module)) {
          return fd;
        }
        fd.close();
      }
    }
  }

  /** struct bpf_btf_info: btf 0, btf_size 8, id 12, name 16, name_len 24, kernel_btf 28. */
  private static String name(Fd fd, Arena arena) {
    MemorySegment info = arena.allocate(32, 8);
    MemorySegment name = arena.allocate(64);
    info.set(JAVA_LONG, 16, name.address());
    info.set(JAVA_INT, 24, (int) name.byteSize());
    BpfCalls.check(BpfCalls.tryInfo(fd.number(), info), "OBJ_GET_INFO_BY_FD, BTF");
    return info.get(JAVA_INT, 28) != 0 ? name.getString(0) : "";
  }

  @Override
  public void close() {
    open.values().forEach(Fd::close);
  }
}
