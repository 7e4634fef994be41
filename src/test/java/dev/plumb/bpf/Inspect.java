package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.object.Instruction;
import dev.plumb.linux.Fd;
import dev.plumb.linux.NamespaceCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Asks the kernel what it has, whoever has loaded it. */
final class Inspect {
  private static final int OBJ_GET = 7;
  private static final int MAP_GET_FD_BY_ID = 14;

  /** A map, without the prefix that libbpf gives to the names of data sections. */
  record MapInfo(
      String name,
      int type,
      int keySize,
      int valueSize,
      int maxEntries,
      int flags,
      long extra,
      boolean typed) {}

  /**
   * A program as the verifier left it.
   *
   * @param tag a hash of the program before verification, dead code included
   * @param instructions with the names of maps instead of their numbers
   */
  record ProgramInfo(
      String name,
      int type,
      String tag,
      int functionInfos,
      int lineInfos,
      int attachType,
      List<String> instructions) {}

  private Inspect() {}

  static Fd pinned(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena)
          .put(BpfAttr.Pinned.PATH, arena.allocateFrom(path.toString()))
          .open(OBJ_GET, "OBJ_GET, " + path);
    }
  }

  static ProgramInfo program(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(232, 8);
      BpfCalls.check(BpfCalls.tryInfo(fd, info), "program info");
      MemorySegment code = arena.allocate(info.get(JAVA_INT, 20), 8);
      int functions = info.get(JAVA_INT, 144);
      int lines = info.get(JAVA_INT, 148);
      String name = info.getString(64);
      int type = info.get(JAVA_INT, 0);
      int attach = info.get(JAVA_INT, 224);
      String tag = HexFormat.of().formatHex(info.asSlice(8, 8).toArray(JAVA_BYTE));
      info.fill((byte) 0);
      info.set(JAVA_INT, 20, (int) code.byteSize());
      info.set(JAVA_LONG, 32, code.address());
      BpfCalls.check(BpfCalls.tryInfo(fd, info), "program info");
      return new ProgramInfo(
          name, type, tag, functions, lines, attach, instructions(code.toArray(JAVA_LONG)));
    }
  }

  private static List<String> instructions(long[] code) {
    List<String> text = new ArrayList<>();
    for (int i = 0; i < code.length; i++) {
      long insn = code[i];
      int src = Instruction.src(insn);
      String line = Long.toHexString(insn);
      if (Instruction.isWideLoad(insn)
          && (src == Instruction.PSEUDO_MAP_FD || src == Instruction.PSEUDO_MAP_VALUE)) {
        line =
            Long.toHexString(Instruction.withImmediate(insn, 0))
                + " "
                + map(Instruction.immediate(insn)).name
                + "+"
                + Instruction.immediate(code[i + 1]);
        i++;
      }
      text.add(line);
    }
    return text;
  }

  /** bpf_map_info: type 0, id 4, sizes 8 and 12, entries 16, flags 20, name 24, btf_id 64 …. */
  static MapInfo map(int id) {
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr = BpfAttr.in(arena).put(BpfAttr.ObjectId.MAP_ID, id);
      try (Fd fd = attr.open(MAP_GET_FD_BY_ID, "MAP_GET_FD_BY_ID")) {
        return mapOfFd(fd.number());
      }
    }
  }

  static MapInfo mapOfFd(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(88, 8);
      BpfCalls.check(BpfCalls.tryInfo(fd, info), "map info");
      String name = info.getString(24);
      return new MapInfo(
          name.indexOf('.') < 0 ? name : name.substring(name.indexOf('.')),
          info.get(JAVA_INT, 0),
          info.get(JAVA_INT, 8),
          info.get(JAVA_INT, 12),
          info.get(JAVA_INT, 16),
          info.get(JAVA_INT, 20),
          info.get(JAVA_LONG, 80),
          info.get(JAVA_INT, 64) != 0);
    }
  }

  /** The numbers of the maps that a program uses. */
  static List<Integer> mapIds(int programFd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(232, 8);
      MemorySegment ids = arena.allocate(4 * 64, 4);
      info.set(JAVA_INT, 52, 64);
      info.set(JAVA_LONG, 56, ids.address());
      BpfCalls.check(BpfCalls.tryInfo(programFd, info), "program info");
      List<Integer> all = new ArrayList<>();
      for (int i = 0; i < info.get(JAVA_INT, 52); i++) {
        all.add(ids.getAtIndex(JAVA_INT, i));
      }
      return all;
    }
  }

  /** A bpffs of our own, gone when closed. */
  static final class PinFolder implements AutoCloseable {
    private final Path path;

    PinFolder(Path path) {
      this.path = path;
      BpfCalls.check(
          NamespaceCalls.tryMount("none", path.toString(), "bpf", 0), "mount of bpffs on " + path);
    }

    Path path() {
      return path;
    }

    @Override
    public void close() {
      NamespaceCalls.tryUmount(path.toString(), 2);
    }
  }
}
