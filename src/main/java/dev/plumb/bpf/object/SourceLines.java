package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import java.util.Optional;

/** Where the instructions of a linked program come from. */
public final class SourceLines {
  private final Optional<Btf> types;
  private final int[] lineInfo;

  private SourceLines(Optional<Btf> types, int[] lineInfo) {
    this.types = types;
    this.lineInfo = lineInfo;
  }

  /** Lines as {@link ProgramLinker.Linked} has them; the names are in the object's types. */
  public static SourceLines of(Btf types, int[] lineInfo) {
    return new SourceLines(Optional.of(types), lineInfo);
  }

  public static SourceLines unknown() {
    return new SourceLines(Optional.empty(), new int[0]);
  }

  /** {@code file.bpf.c:12} of an instruction. */
  public Optional<String> at(int instruction) {
    int found = -1;
    for (int i = 0; i < lineInfo.length && lineInfo[i] <= instruction; i += 4) {
      found = i;
    }
    if (found < 0 || types.isEmpty()) {
      return Optional.empty();
    }
    String file = types.get().string(lineInfo[found + 1]);
    int line = lineInfo[found + 3] >>> 10;
    return Optional.of(file.substring(file.lastIndexOf('/') + 1) + ":" + line);
  }
}
