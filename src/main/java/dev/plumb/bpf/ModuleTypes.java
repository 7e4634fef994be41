package dev.plumb.bpf;

import dev.plumb.bpf.BpfAttr.ObjectId;
import dev.plumb.bpf.BpfInfo.BtfInfo;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.Fd;
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
      int id = 0;
      while (true) {
        BpfAttr next = BpfAttr.in(arena).put(ObjectId.START_ID, id);
        BpfCalls.check(
            next.tryCall(BpfCalls.BTF_GET_NEXT_ID),
            "BTF_GET_NEXT_ID, looking for module " + module);
        id = next.number(ObjectId.NEXT_ID);
        long result = BpfAttr.in(arena).put(ObjectId.BTF_ID, id).tryCall(BpfCalls.BTF_GET_FD_BY_ID);
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

  private static String name(Fd fd, Arena arena) {
    MemorySegment info = arena.allocate(BtfInfo.SIZE, 8);
    MemorySegment name = arena.allocate(64);
    BtfInfo.NAME.put(info, name.address());
    BtfInfo.NAME_LENGTH.put(info, name.byteSize());
    BpfCalls.check(BpfCalls.tryInfo(fd.number(), info), "OBJ_GET_INFO_BY_FD, BTF");
    return BtfInfo.IS_KERNELS.get(info) != 0 ? name.getString(0) : "";
  }

  @Override
  public void close() {
    open.values().forEach(Fd::close);
  }
}
