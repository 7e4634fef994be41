package dev.plumb.unwind;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SystemCalls;
import dev.plumb.testing.Programs;
import dev.plumb.unwind.rule.Registers;
import dev.plumb.unwind.rule.UnwindEnd;
import dev.plumb.unwind.rule.UnwindRule;
import dev.plumb.unwind.rule.UnwindTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** A real process whose threads are all blocked: its memory, its files' tables, its registers. */
final class BlockedProcess implements AutoCloseable {
  private static final int MAX_FRAMES = 2000;

  private final int pid;
  private final Map<Path, Path> instead;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment buffer = arena.allocate(8, 8);
  private final TreeMap<Long, Code> code = new TreeMap<>();
  private final Map<String, UnwindTables.Built> tables = new HashMap<>();

  /** A mapping of code. */
  private record Code(long end, LoadedTable table, Path path) {}

  /** A thread's stack as we unwind it. */
  record Stack(UnwindEnd end, List<String> processAddresses) {}

  /**
   * @param instead files whose tables are used in place of those mapped
   */
  BlockedProcess(int pid, Map<Path, Path> instead) throws IOException {
    this.pid = pid;
    this.instead = instead;
    reload();
  }

  /** Looks again what is mapped. */
  void reload() throws IOException {
    code.clear();
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
      String[] words = line.split("\\s+");
      if (words[1].contains("x") && words.length == 6 && words[5].startsWith("/")) {
        Path path = Path.of(words[5]);
        load(words[0], Long.parseLong(words[2], 16), instead.getOrDefault(path, path));
      }
    }
  }

  private void load(String range, long fileOffset, Path path) {
    long start = Long.parseUnsignedLong(range.substring(0, range.indexOf('-')), 16);
    long end = Long.parseUnsignedLong(range.substring(range.indexOf('-') + 1), 16);
    try (ElfFile elf = ElfFile.open(path)) {
      UnwindTable table =
          tables.computeIfAbsent(path.toString(), p -> UnwindTables.followingRbx(elf)).table();
      long bias = start - elfAddress(elf, fileOffset);
      code.put(start, new Code(end, new LoadedTable(table, bias), path));
    }
  }

  /** By the executable segment: a page may belong to two of them, mapped to two places. */
  private static long elfAddress(ElfFile elf, long fileOffset) {
    for (Segment segment : elf.segments()) {
      long from = segment.fileOffset() & -SystemCalls.PAGE_SIZE;
      if (segment.type() == Segment.PT_LOAD
          && segment.executable()
          && fileOffset >= from
          && fileOffset < segment.fileOffset() + segment.fileSize()) {
        return fileOffset - segment.fileOffset() + segment.elfAddress();
      }
    }
    throw new AssertionError(elf.name() + ": nothing at " + fileOffset);
  }

  /** The stacks of all threads, by thread. */
  Map<Integer, Stack> stacks() throws IOException {
    Path printer = Programs.compiled("registers");
    List<String> command = new ArrayList<>(List.of(printer.toString()));
    try (var tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      tasks.forEach(t -> command.add(t.getFileName().toString()));
    }
    Map<Integer, Stack> stacks = new TreeMap<>();
    for (String line : Programs.run(command).split("\n")) {
      String[] words = line.split(" ");
      long[] registers =
          Arrays.stream(words).skip(2).mapToLong(w -> Long.parseUnsignedLong(w, 16)).toArray();
      long pc = Long.parseUnsignedLong(words[1], 16);
      stacks.put(Integer.parseInt(words[0]), unwind(Registers.all(pc, registers)));
    }
    return stacks;
  }

  Stack unwind(Registers registers) {
    StackUnwinder unwinder = new StackUnwinder(this::read, this::table);
    long[] found = new long[MAX_FRAMES];
    UnwindEnd end = unwinder.unwind(registers, found);
    return new Stack(
        end, LongStream.of(found).limit(unwinder.frames()).mapToObj(Long::toHexString).toList());
  }

  UnwindRule rule(long processAddress) {
    LoadedTable loaded = table(processAddress);
    return loaded.table().ruleAt(processAddress - loaded.bias());
  }

  /** The file and ELF address, and what the table has there. */
  String describe(long processAddress) {
    if (!isKnown(processAddress)) {
      return Long.toHexString(processAddress);
    }
    Code at = code.floorEntry(processAddress).getValue();
    long elfAddress = processAddress - at.table.bias();
    return "%s %x %s"
        .formatted(at.path.getFileName(), elfAddress, at.table.table().ruleAt(elfAddress));
  }

  boolean isKnown(long processAddress) {
    return table(processAddress) != LoadedTable.NONE;
  }

  private boolean read(long processAddress, long[] word) {
    if (ProcessCalls.tryProcessVmRead(pid, processAddress, buffer) != 8) {
      return false;
    }
    word[0] = buffer.get(JAVA_LONG, 0);
    return true;
  }

  private LoadedTable table(long processAddress) {
    Map.Entry<Long, Code> found = code.floorEntry(processAddress);
    return found == null || found.getValue().end <= processAddress
        ? LoadedTable.NONE
        : found.getValue().table;
  }

  @Override
  public void close() {
    arena.close();
  }
}
