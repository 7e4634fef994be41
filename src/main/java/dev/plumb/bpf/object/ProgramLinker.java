package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.BtfExt;
import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.error.BpfException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts a program together: its own code, then each function that it reaches, in the order of the
 * first call; CO-RE applied, references resolved. Pure: what the kernel has to say comes through
 * {@link References}.
 */
public final class ProgramLinker {
  /** What references become; asked while linking. */
  public interface References {
    int mapFd(MapSpec map);

    Resolved resolve(Extern extern);
  }

  /** What an extern turned out to be. */
  public sealed interface Resolved {
    /** A place in the {@code .kconfig} map. */
    record Config(MapSpec map, int offset) implements Resolved {}

    record Address(long kernelAddress) implements Resolved {}

    /** A type number in the kernel's BTF, or in a module's that {@code fd} stands for. */
    record Typed(int id, int fd) implements Resolved {}

    /** A weak extern that this kernel does not have. */
    record Missing() implements Resolved {}
  }

  /**
   * A program ready for the kernel.
   *
   * @param functionInfo pairs of instruction index and BTF type; empty if not known for all
   * @param lineInfo quadruples of instruction index, file, text, line and column
   * @param moduleFds descriptors of module BTF that calls refer to by index, from 1
   */
  public record Linked(
      long[] instructions,
      int[] functionInfo,
      int[] lineInfo,
      List<Integer> moduleFds,
      Poison poison) {}

  /** BPF_MAX_SUBPROGS in the kernel's bpf_verifier.h. */
  private static final int MAX_FUNCTIONS = 256;

  private final CoreRelocator relocator;
  private final References references;
  private final Map<Function, long[]> relocated = new HashMap<>();
  private final Poison poison = new Poison();

  public ProgramLinker(CoreRelocator relocator, References references) {
    this.relocator = relocator;
    this.references = references;
  }

  public Linked link(Function program) {
    Map<Function, Integer> places = new LinkedHashMap<>();
    place(program, places, 0);
    int size = places.keySet().stream().mapToInt(Function::size).sum();
    long[] code = new long[size];
    List<Integer> moduleFds = new ArrayList<>();
    places.forEach(
        (function, start) -> {
          System.arraycopy(relocated(function), 0, code, start, function.size());
          for (Relocation relocation : function.relocations()) {
            apply(relocation, code, start, places, moduleFds);
          }
        });
    return new Linked(code, functionInfo(places), lineInfo(places), moduleFds, poison);
  }

  /** A function and all that it calls. */
  static Set<Function> reached(Function function) {
    Map<Function, Integer> places = new LinkedHashMap<>();
    place(function, places, 0);
    return places.keySet();
  }

  /** Depth first, so that the order is the one that other loaders have. */
  private static int place(Function function, Map<Function, Integer> places, int end) {
    places.put(function, end);
    if (places.size() > MAX_FUNCTIONS) {
      throw new BpfException("a program of more than " + MAX_FUNCTIONS + " functions");
    }
    end += function.size();
    for (Relocation relocation : function.relocations()) {
      Function target =
          switch (relocation) {
            case Relocation.OfCall call -> call.target();
            case Relocation.OfFunctionPointer pointer -> pointer.target();
            default -> null;
          };
      if (target != null && !places.containsKey(target)) {
        end = place(target, places, end);
      }
    }
    return end;
  }

  private long[] relocated(Function function) {
    long[] known = relocated.get(function);
    if (known == null) {
      known = function.instructions().clone();
      for (var relocation : function.coreRelocations()) {
        int at = relocation.byteOffset() / 8 - function.start();
        CorePatch.apply(known, at, relocator.answer(relocation), function, poison);
      }
      relocated.put(function, known);
    }
    return known;
  }

  private void apply(
      Relocation relocation,
      long[] code,
      int start,
      Map<Function, Integer> places,
      List<Integer> moduleFds) {
    int at = start + relocation.at();
    switch (relocation) {
      case Relocation.OfCall(int ignored, Function target) ->
          code[at] = Instruction.withImmediate(code[at], places.get(target) - at - 1);
      case Relocation.OfFunctionPointer(int ignored, Function target) ->
          wide(code, at, Instruction.PSEUDO_FUNC, places.get(target) - at - 1, 0);
      case Relocation.OfMap(int ignored, MapSpec map) ->
          wide(code, at, Instruction.PSEUDO_MAP_FD, references.mapFd(map), 0);
      case Relocation.OfData(int ignored, MapSpec map, int offset) ->
          wide(code, at, Instruction.PSEUDO_MAP_VALUE, references.mapFd(map), offset);
      case Relocation.OfExtern(int ignored, Extern extern) -> extern(code, at, extern);
      case Relocation.OfKernelCall(int ignored, Extern extern) ->
          kernelCall(code, at, extern, moduleFds);
    }
  }

  private static void wide(long[] code, int at, int src, int low, int high) {
    code[at] = Instruction.withSrc(Instruction.withImmediate(code[at], low), src);
    code[at + 1] = Instruction.withImmediate(code[at + 1], high);
  }

  private void extern(long[] code, int at, Extern extern) {
    switch (references.resolve(extern)) {
      case Resolved.Config(MapSpec map, int offset) ->
          wide(code, at, Instruction.PSEUDO_MAP_VALUE, references.mapFd(map), offset);
      case Resolved.Address(long address) ->
          wide(code, at, 0, (int) address, (int) (address >>> 32));
      case Resolved.Typed(int id, int fd) -> wide(code, at, Instruction.PSEUDO_BTF_ID, id, fd);
      case Resolved.Missing() -> wide(code, at, 0, 0, 0);
    }
  }

  private void kernelCall(long[] code, int at, Extern extern, List<Integer> moduleFds) {
    switch (references.resolve(extern)) {
      case Resolved.Typed(int id, int fd) -> {
        int index = 0;
        if (fd != 0) {
          index = moduleFds.indexOf(fd) + 1;
          if (index == 0) {
            moduleFds.add(fd);
            index = moduleFds.size();
          }
        }
        code[at] =
            Instruction.withOffset(
                Instruction.withSrc(
                    Instruction.withImmediate(code[at], id), Instruction.PSEUDO_KFUNC_CALL),
                index);
      }
      case Resolved.Missing() -> code[at] = poison.call("kernel function " + extern.name());
      default -> throw new BpfException(extern.name() + " is not a function");
    }
  }

  private static int[] functionInfo(Map<Function, Integer> places) {
    int[] info = new int[places.size() * 2];
    int used = 0;
    for (var entry : places.entrySet()) {
      List<BtfExt.FuncInfo> all = entry.getKey().functionInfo();
      if (all.size() != 1 || all.getFirst().byteOffset() != entry.getKey().start() * 8) {
        return new int[0];
      }
      info[used++] = entry.getValue();
      info[used++] = all.getFirst().type();
    }
    return info;
  }

  private static int[] lineInfo(Map<Function, Integer> places) {
    int count = 0;
    for (Function function : places.keySet()) {
      List<BtfExt.LineInfo> all = function.lineInfo();
      if (all.isEmpty() || all.getFirst().byteOffset() != function.start() * 8) {
        return new int[0];
      }
      count += all.size();
    }
    int[] info = new int[count * 4];
    int used = 0;
    for (var entry : places.entrySet()) {
      int shift = entry.getValue() - entry.getKey().start();
      for (BtfExt.LineInfo line : entry.getKey().lineInfo()) {
        info[used++] = line.byteOffset() / 8 + shift;
        info[used++] = line.fileName();
        info[used++] = line.lineText();
        info[used++] = line.lineAndColumn();
      }
    }
    return info;
  }
}
