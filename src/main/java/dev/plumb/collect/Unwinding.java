package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.bpf.BpfMap;
import dev.plumb.collect.alloc.CommandFiles;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.Registers;
import dev.plumb.unwind.StackMemory;
import dev.plumb.unwind.StackUnwinder;
import dev.plumb.unwind.UnwindEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Unwinding by tables: gives the kernel side the tables of the code that it meets, and unwinds here
 * what it could not unwind for want of them.
 */
final class Unwinding implements AutoCloseable {
  /** What the kernel side's tables may take. */
  static final long MAX_TABLE_BYTES = 64L << 20;

  private static final int FIRST_COPY_BYTES = 16 << 10;
  private static final int MAX_COPY_BYTES = 64 << 10;

  /** So long nothing was copied: then there is no hurry any more. */
  private static final int QUIET_TICKS = 5;

  private final ProcessFinder finder;
  private final EarlyTables early = EarlyTables.none();
  private final Hurry hurry = new Hurry();
  private BpfMap copyLimit;
  private TableMemory memory;
  private FileTables tables;
  private RegionLists lists;
  private final StackUnwinder copied = new StackUnwinder(this::readCopy, this::tableAt);
  private final long[] addresses;
  private StackUnwinder lastUsed = copied;
  private int frames;
  private long learntBefore;
  private int copyBytes = FIRST_COPY_BYTES;
  private int copiesSinceTick;
  private int quietTicks;

  // The stack at hand.
  private ProcessImage image;
  private long time;
  private MemorySegment stack = MemorySegment.NULL;
  private long stackStart;
  private long absentPages;
  private boolean readBeyond;
  private Mapping latest;
  private LoadedTable latestTable = LoadedTable.NONE;

  Unwinding(ProcessFinder finder, int maxUserFrames) {
    this.finder = finder;
    this.addresses = new long[maxUserFrames];
  }

  /**
   * Makes tables that nearly every program needs; not while the kernel side is loaded, because that
   * is what the first sample waits for.
   *
   * @param command that will be run; nothing is to be watched before its tables are there; empty if
   *     there is none
   */
  void makeEarly(List<String> command) {
    if (command.isEmpty()) {
      early.begin(memory, List.of());
    } else {
      early.begin(memory, CommandFiles.of(command, System.getenv()));
      early.await();
    }
  }

  /**
   * To be called when the kernel side's maps are there, before anything is attached.
   *
   * @param aroundMaking is run before and after a table is made
   */
  void begin(KernelSide kernel, Runnable aroundMaking) {
    copyLimit = kernel.map("copy_limit");
    memory = new TableMemory(kernel.map("chunks"), MAX_TABLE_BYTES);
    tables = new FileTables(memory, early, aroundMaking);
    lists = new RegionLists(kernel.map("region_lists"), memory, tables);
    setCopyLimit();
  }

  /** To be called instead where there is no kernel side: all is unwound here. */
  void beginHere() {
    tables = FileTables.forHere();
  }

  private void setCopyLimit() {
    try (Arena arena = Arena.ofConfined()) {
      copyLimit.update(
          arena.allocateFrom(JAVA_INT, 0), arena.allocateFrom(JAVA_INT, copyBytes), BpfMap.ANY);
    }
  }

  /** To be called when nothing more is recorded. */
  void end() {
    hurry.end();
  }

  /** Takes a {@code copy_record}. */
  void take(MemorySegment record, RawStacks stacks, RawProcesses processes) {
    hurry.begin();
    copiesSinceTick++;
    if (stacks.isFull()) {
      stacks.refuse();
      return;
    }
    long process = record.get(JAVA_LONG, Records.STACK_PROCESS_OFFSET);
    long when = record.get(JAVA_LONG, Records.STACK_TIME_OFFSET);
    int owner = processes.index(process, record.get(JAVA_INT, Records.STACK_TGID_OFFSET), when);
    Optional<ProcessImage> known = processes.image(owner);
    StackEnd end = StackEnd.UNMAPPED;
    int user = 0;
    if (known.isPresent()) {
      // At once: until then each of its stacks is copied, and not all can be.
      boolean isNew = !lists.has(process);
      lists.want(process, known.get());
      if (isNew) {
        write();
      }
      long made = tables.made();
      end = unwind(record, known.get(), when);
      user = frames;
      lists.want(process, known.get());
      if (isNew && made != tables.made()) {
        write();
      }
    }
    stacks.add(
        record.get(JAVA_LONG, Records.STACK_ID_OFFSET),
        owner,
        when,
        record.asSlice(Records.COPY_KERNEL_OFFSET),
        record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET),
        recorded(),
        user,
        end);
  }

  private StackEnd unwind(MemorySegment record, ProcessImage of, long when) {
    long pc = record.get(JAVA_LONG, Records.COPY_PC_OFFSET);
    stackStart = record.get(JAVA_LONG, Records.COPY_SP_OFFSET);
    int flagged = record.get(JAVA_INT, Records.COPY_BYTES_OFFSET);
    int bytes = flagged & ~Records.COPY_AT_ENTRY;
    stack = record.asSlice(Records.COPY_STACK_OFFSET, bytes);
    absentPages = record.get(JAVA_LONG, Records.COPY_ABSENT_OFFSET);
    readBeyond = false;
    Registers start =
        Registers.of(
            pc,
            stackStart,
            record.get(JAVA_LONG, Records.COPY_FP_OFFSET),
            record.get(JAVA_LONG, Records.COPY_BX_OFFSET),
            record.get(JAVA_LONG, Records.COPY_CX_OFFSET),
            record.get(JAVA_LONG, Records.COPY_DI_OFFSET));
    StackEnd end = unwind(copied, flagged == bytes ? start : start.atEntry(), of, when);
    if (readBeyond && bytes == copyBytes && copyBytes < MAX_COPY_BYTES) {
      copyBytes *= 2;
      setCopyLimit();
    }
    return end;
  }

  /** Unwinds a thread that waits, whose memory can be read. */
  StackEnd unwind(StackMemory live, Registers start, ProcessImage of, long when) {
    return unwind(new StackUnwinder(live, this::tableAt), start, of, when);
  }

  /** The frames of the stack that was unwound last, leaf first. */
  MemorySegment addresses() {
    return MemorySegment.ofArray(addresses);
  }

  /** The same as the kernel side records them: {@link Records#INTERRUPTED} is marked. */
  MemorySegment recorded() {
    for (int i = 1; i < frames; i++) {
      if (!isReturnAddress(i)) {
        addresses[i] |= Records.INTERRUPTED;
      }
    }
    return addresses();
  }

  /** How many there are. */
  int frames() {
    return frames;
  }

  /** Whether one of them is a return address, so that its call is just before it. */
  boolean isReturnAddress(int frame) {
    return lastUsed.isReturnAddress(frame);
  }

  private StackEnd unwind(StackUnwinder unwinder, Registers start, ProcessImage of, long when) {
    image = of;
    time = when;
    latest = null;
    UnwindEnd end = unwinder.unwind(start, addresses);
    frames = unwinder.frames();
    lastUsed = unwinder;
    return end(end);
  }

  private static StackEnd end(UnwindEnd end) {
    return switch (end) {
      case WHOLE -> StackEnd.WHOLE;
      case DEPTH -> StackEnd.DEPTH;
      case UNREADABLE -> StackEnd.UNREADABLE;
      case NO_FRAME_POINTER -> StackEnd.NO_FRAME_POINTER;
      case UNSUPPORTED -> StackEnd.UNSUPPORTED;
      case NO_PROGRESS -> StackEnd.ASTRAY;
    };
  }

  private boolean readCopy(long processAddress, long[] word) {
    long offset = processAddress - stackStart;
    if (offset < 0 || offset > stack.byteSize() - 8) {
      readBeyond |= offset >= 0;
      return false;
    }
    if (absentPages != 0 && (isAbsent(processAddress) || isAbsent(processAddress + 7))) {
      return false;
    }
    word[0] = stack.get(JAVA_LONG_UNALIGNED, offset);
    return true;
  }

  private boolean isAbsent(long processAddress) {
    long page =
        (processAddress >>> Records.COPY_PAGE_BITS) - (stackStart >>> Records.COPY_PAGE_BITS);
    return (absentPages >>> page & 1) != 0;
  }

  private LoadedTable tableAt(long processAddress) {
    if (latest != null && latest.contains(processAddress)) {
      return latestTable;
    }
    Optional<Mapping> mapping = image.mappingAt(processAddress, time);
    if (mapping.isEmpty()) {
      finder.refresh(image, time);
      mapping = image.mappingAt(processAddress, time);
    }
    if (mapping.isEmpty() || isForeignVdso(mapping.get())) {
      return LoadedTable.NONE;
    }
    latest = mapping.get();
    latestTable = tables.table(latest.file()).loadedAt(latest.start(), latest.fileOffset());
    return latestTable;
  }

  /** That of 32-bit processes is another one than ours. */
  static boolean isForeignVdso(Mapping mapping) {
    return mapping.file().kind() == BackingFile.Kind.VDSO && mapping.end() >>> 32 == 0;
  }

  /** Gives the kernel side what it lacked since the last time. */
  void write() {
    early.await();
    lists.write();
  }

  /** Whether a table was made since the last time that this was asked. */
  boolean hasLearnt() {
    boolean learnt = tables.made() != learntBefore;
    learntBefore = tables.made();
    return learnt;
  }

  /** To be called about once a second. */
  void tick() {
    lists.tick();
    quietTicks = copiesSinceTick == 0 ? quietTicks + 1 : 0;
    if (quietTicks == QUIET_TICKS) {
      hurry.end();
    }
    copiesSinceTick = 0;
  }

  /** Frees the tables of files that nobody has mapped any more. */
  void keepOnly(Set<BackingFile> inUse) {
    tables.keepOnly(inUse);
  }

  /** How unwinding went, for people who look into it. */
  String summary(KernelSide kernel) {
    return "%d; %d by frame pointers alone; %d KB of tables"
        .formatted(
            kernel.counter(Counter.COPIES), kernel.counter(Counter.UNCOPIED), memory.bytes() >> 10);
  }

  /** Files whose tables found no room in the kernel side's memory. */
  long refused() {
    return tables.refused();
  }

  @Override
  public void close() {
    early.await();
    hurry.end();
    if (memory != null) {
      tables.close();
      memory.close();
    }
  }
}
