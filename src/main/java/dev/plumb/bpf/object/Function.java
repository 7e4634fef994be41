package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.BtfExt;
import dev.plumb.bpf.btf.CoreRelocation;
import java.util.ArrayList;
import java.util.List;

/**
 * A function of the object as clang made it, with all that is known about its instructions. Offsets
 * in {@link BtfExt} records count from the section's start, indices of relocations from the
 * function's.
 */
public final class Function {
  private final String name;
  private final int section;
  private final String sectionName;
  private final int start;
  private final long[] instructions;
  private final List<Relocation> relocations = new ArrayList<>();
  private final List<BtfExt.FuncInfo> functionInfo = new ArrayList<>();
  private final List<BtfExt.LineInfo> lineInfo = new ArrayList<>();
  private final List<CoreRelocation> coreRelocations = new ArrayList<>();

  Function(String name, int section, String sectionName, int start, long[] instructions) {
    this.name = name;
    this.section = section;
    this.sectionName = sectionName;
    this.start = start;
    this.instructions = instructions;
  }

  String name() {
    return name;
  }

  /** The number of the section it is in. */
  int section() {
    return section;
  }

  String sectionName() {
    return sectionName;
  }

  /** The index of its first instruction in the section. */
  int start() {
    return start;
  }

  int size() {
    return instructions.length;
  }

  boolean contains(long indexInSection) {
    return indexInSection >= start && indexInSection < start + instructions.length;
  }

  /** The code as in the file; not to be changed. */
  long[] instructions() {
    return instructions;
  }

  List<Relocation> relocations() {
    return relocations;
  }

  List<BtfExt.FuncInfo> functionInfo() {
    return functionInfo;
  }

  List<BtfExt.LineInfo> lineInfo() {
    return lineInfo;
  }

  public List<CoreRelocation> coreRelocations() {
    return coreRelocations;
  }

  @Override
  public String toString() {
    return name;
  }
}
