package dev.plumb.collect.tables;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.collect.kernel.Records;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.StackMemory;
import dev.plumb.unwind.StackUnwinder;
import dev.plumb.unwind.rule.Registers;
import dev.plumb.unwind.rule.UnwindEnd;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Unwinds stacks of processes in user space, with the tables of the files that they have mapped.
 * Its answers are about the stack that was unwound last.
 */
public final class ProcessUnwinder {
  private final ProcessFinder finder;
  private final FileTables tables;
  private final StackUnwinder copied = new StackUnwinder(this::readCopy, this::tableAt);
  private final long[] addresses;
  private StackUnwinder lastUsed = copied;
  private int frames;
  private ProcessImage image;
  private long time;

  /** The copy at hand. */
  private MemorySegment stack = MemorySegment.NULL;

  private long stackStart;
  private long absentPages;
  private boolean readBeyond;

  /** The first file on the way whose table is not made yet. */
  private Optional<BackingFile> missing = Optional.empty();

  private boolean givingUp;
  private Mapping latest;
  private LoadedTable latestTable = LoadedTable.NONE;

  ProcessUnwinder(ProcessFinder finder, FileTables tables, int maxFrames) {
    this.finder = finder;
    this.tables = tables;
    this.addresses = new long[maxFrames];
  }

  /** Without a kernel side: each table is made when it is needed, and none is ever missing. */
  public static ProcessUnwinder withoutKernelSide(ProcessFinder finder, int maxFrames) {
    return new ProcessUnwinder(finder, FileTables.forHere(), maxFrames);
  }

  /** Nothing more can be said about a stack before a table is made. */
  private static final class MissingTableException extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final MissingTableException ONE = new MissingTableException();

    private MissingTableException() {
      super("", null, false, false); // thrown often: without a stack it costs nothing
    }
  }

  /** Whether to unwind by frame pointers where a table is missing, instead of stopping there. */
  void giveUp(boolean onMissingTables) {
    givingUp = onMissingTables;
  }

  boolean isGivingUp() {
    return givingUp;
  }

  /** Unwinds the stack that a {@code copy_record} holds. */
  StackEnd unwindCopy(MemorySegment record, ProcessImage of) {
    stackStart = record.get(JAVA_LONG, Records.COPY_SP_OFFSET);
    int flagged = record.get(JAVA_INT, Records.COPY_BYTES_OFFSET);
    int bytes = flagged & ~Records.COPY_AT_ENTRY;
    stack = record.asSlice(Records.COPY_STACK_OFFSET, bytes);
    absentPages = record.get(JAVA_LONG, Records.COPY_ABSENT_OFFSET);
    readBeyond = false;
    Registers start =
        Registers.of(
            record.get(JAVA_LONG, Records.COPY_PC_OFFSET),
            stackStart,
            record.get(JAVA_LONG, Records.COPY_FP_OFFSET),
            record.get(JAVA_LONG, Records.COPY_BX_OFFSET),
            record.get(JAVA_LONG, Records.COPY_CX_OFFSET),
            record.get(JAVA_LONG, Records.COPY_DI_OFFSET),
            record.get(JAVA_LONG, Records.COPY_AX_OFFSET));
    return unwind(
        copied,
        flagged == bytes ? start : start.atEntry(),
        of,
        record.get(JAVA_LONG, Records.STACK_TIME_OFFSET));
  }

  /** Unwinds a stack whose memory can be read. */
  public StackEnd unwind(StackMemory memory, Registers start, ProcessImage of, long when) {
    return unwind(new StackUnwinder(memory, this::tableAt), start, of, when);
  }

  private StackEnd unwind(StackUnwinder unwinder, Registers start, ProcessImage of, long when) {
    image = of;
    time = when;
    latest = null;
    missing = Optional.empty();
    lastUsed = unwinder;
    try {
      UnwindEnd end = unwinder.unwind(start, addresses);
      frames = unwinder.frames();
      return end(end);
    } catch (MissingTableException e) {
      frames = 0; // it will be unwound again
      return StackEnd.EARLY;
    }
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

  /** The addresses of the frames, leaf first. */
  public MemorySegment addresses() {
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

  /** How many frames there are. */
  public int frames() {
    return frames;
  }

  /** Whether a frame is a return address, so that its call is just before it. */
  public boolean isReturnAddress(int frame) {
    return lastUsed.isReturnAddress(frame);
  }

  /** The first file whose table was needed and is not made yet. */
  Optional<BackingFile> missing() {
    return missing;
  }

  /** Whether words above the end of the copy were needed. */
  boolean readBeyond() {
    return readBeyond;
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
    Optional<FileTable> table = tables.find(latest.file());
    if (table.isEmpty()) {
      missing = Optional.of(latest.file());
      if (!givingUp) {
        throw MissingTableException.ONE;
      }
    }
    latestTable =
        table
            .map(found -> found.loadedAt(latest.start(), latest.fileOffset()))
            .orElse(LoadedTable.NONE);
    return latestTable;
  }

  /** The vdso of a 32-bit process is not the one that we have a table for. */
  static boolean isForeignVdso(Mapping mapping) {
    return mapping.file().kind() == BackingFile.Kind.VDSO && mapping.end() >>> 32 == 0;
  }
}
