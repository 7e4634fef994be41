package dev.plumb.bpf;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.BtfWriter;
import dev.plumb.bpf.btf.SimplerTypes;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** An object's BTF, loaded for as long as its maps and programs are being made. */
final class TypesInKernel implements AutoCloseable {
  private static final int LOG_SIZE = 1 << 16;

  private final Optional<Fd> fd;
  private final String problem;

  private TypesInKernel(Optional<Fd> fd, String problem) {
    this.fd = fd;
    this.problem = problem;
  }

  /**
   * Loads all of it, or if the kernel is too old for some of it, what is left without that; or
   * nothing, for most maps and programs work without BTF, only less readably.
   */
  static TypesInKernel load(BtfWriter types) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment blob = types.toSegment(arena);
      long result = BpfCalls.tryBtfLoad(blob, MemorySegment.NULL);
      if (result >= 0) {
        return new TypesInKernel(Optional.of(new Fd((int) result)), "");
      }
      BtfWriter simpler = SimplerTypes.without(new BtfWriter(Btf.of(blob)), refusedParts());
      MemorySegment log = arena.allocate(LOG_SIZE);
      result = BpfCalls.tryBtfLoad(simpler.toSegment(arena), log);
      return result >= 0
          ? new TypesInKernel(Optional.of(new Fd((int) result)), "")
          : new TypesInKernel(
              Optional.empty(), Errno.name((int) -result) + "\n" + log.getString(0));
    }
  }

  /** The descriptor, or 0 if there is none. */
  int fd() {
    return fd.map(Fd::number).orElse(0);
  }

  /** Why the kernel refused the types; empty if it did not. */
  String problem() {
    return problem;
  }

  @Override
  public void close() {
    fd.ifPresent(Fd::close);
  }

  /** Tries each part by itself. */
  static Set<SimplerTypes.Part> refusedParts() {
    Set<SimplerTypes.Part> refused = EnumSet.noneOf(SimplerTypes.Part.class);
    for (SimplerTypes.Part part : SimplerTypes.Part.values()) {
      try (Arena arena = Arena.ofConfined()) {
        long result = BpfCalls.tryBtfLoad(sample(part).toSegment(arena), MemorySegment.NULL);
        if (result < 0) {
          refused.add(part);
        } else {
          new Fd((int) result).close();
        }
      }
    }
    return refused;
  }

  private static BtfWriter sample(SimplerTypes.Part part) {
    BtfWriter types = new BtfWriter();
    int name = types.string("sample");
    int integer = types.add(BtfKind.INT, name, false, 0, 4, 1 << 24 | 32);
    switch (part) {
      case FLOAT -> types.add(BtfKind.FLOAT, name, false, 0, 4);
      case TYPE_TAG ->
          types.add(BtfKind.PTR, 0, false, 0, types.add(BtfKind.TYPE_TAG, name, false, 0, integer));
      case DECL_TAG ->
          types.add(
              BtfKind.DECL_TAG,
              name,
              false,
              0,
              types.add(BtfKind.VAR, name, false, 0, integer, 0),
              -1);
      case ENUM64 -> types.add(BtfKind.ENUM64, name, false, 1, 8, types.string("one"), 1, 0);
      case GLOBAL_FUNCTION ->
          types.add(
              BtfKind.FUNC, name, false, 1, types.add(BtfKind.FUNC_PROTO, 0, false, 0, integer));
    }
    return types;
  }
}
