package dev.plumb.collect.tables;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.collect.code.CommandFiles;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.tables.PendingCopies.Pending;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Unwinding by tables: gives the kernel side the tables of the code that it meets, and has a {@link
 * ProcessUnwinder} unwind here what it could not unwind because it lacked them.
 */
public final class Unwinding implements AutoCloseable {
  /** The limit on the memory of the kernel side's tables. */
  static final long MAX_TABLE_BYTES = 64L << 20;

  private static final int FIRST_COPY_BYTES = 16 << 10;
  private static final int MAX_COPY_BYTES = 64 << 10;

  /** How long sampling waits for tables if it is known what will be sampled. */
  public static final long LONGEST_WAIT_NANOS = 3_000_000_000L;

  /** How long waiting stacks are unwound before the ring buffer is read again. */
  private static final long SLICE_NANOS = 20_000_000;

  private static final long STEP_NANOS = 20_000_000;

  /** After so many ticks without a copy, the priority is lowered again. */
  private static final int QUIET_TICKS = 5;

  private final ProcessFinder finder;
  private final int maxUserFrames;
  private final TableMaker maker = new TableMaker();
  private final PendingCopies pending = new PendingCopies();
  private final PriorityBoost hurry = new PriorityBoost();
  private BpfMap copyLimit;
  private TableMemory memory;
  private FileTables tables;
  private RegionLists lists;
  private ProcessUnwinder unwinder;
  private long learntBefore;
  private int copyBytes = FIRST_COPY_BYTES;
  private int copiesSinceTick;
  private int quietTicks;

  private boolean started;

  public Unwinding(ProcessFinder finder, int maxUserFrames) {
    this.finder = finder;
    this.maxUserFrames = maxUserFrames;
  }

  /**
   * Begins to make tables that nearly every program needs; not while BPF programs are being loaded,
   * because the first sample waits for these.
   *
   * @param command the command to be recorded, whose tables are waited for; empty if there is none
   */
  public void makeEarly(List<String> command) {
    if (command.isEmpty()) {
      maker.start(List.of(), memory);
    } else {
      maker.start(CommandFiles.of(command, System.getenv()), memory);
      await(LONGEST_WAIT_NANOS);
    }
    started = true;
  }

  /** Makes the tables of processes before they are sampled; waits at most this long. */
  public void prepare(List<ProcessImage> images, long nanos) {
    for (ProcessImage of : images) {
      for (Mapping mapping : of.code()) {
        tables.find(mapping.file());
      }
    }
    await(nanos);
  }

  /**
   * Tells the kernel side the tables of processes before it has seen them; otherwise it would have
   * to copy the first stacks of all processes at once.
   *
   * @param numbers the ids of the processes on the kernel side, by pid. They are listed before the
   *     images are read: if a process calls exec in between, its old id is used, which never occurs
   *     again
   */
  public void assign(Map<Integer, Long> numbers, List<ProcessImage> images) {
    for (ProcessImage of : images) {
      Optional.ofNullable(numbers.get(of.pid())).ifPresent(number -> lists.want(number, of));
    }
    write();
  }

  private void await(long nanos) {
    long end = System.nanoTime() + nanos;
    while (!maker.isIdle() && System.nanoTime() < end) {
      maker.await(end - System.nanoTime());
      tables.take();
    }
  }

  /**
   * To be called when BPF objects are loaded, before anything is attached.
   *
   * @param aroundMaking runs before and after a table is made
   */
  public void begin(KernelPrograms kernel, Runnable aroundMaking) {
    copyLimit = kernel.map("copy_limit");
    memory = new TableMemory(kernel.map("chunks"), MAX_TABLE_BYTES);
    tables = new FileTables(memory, maker, aroundMaking);
    lists = new RegionLists(kernel.map("region_lists"), memory, tables);
    unwinder = new ProcessUnwinder(finder, tables, maxUserFrames);
    setCopyLimit();
  }

  private void setCopyLimit() {
    try (Arena arena = Arena.ofConfined()) {
      copyLimit.update(
          arena.allocateFrom(JAVA_INT, 0), arena.allocateFrom(JAVA_INT, copyBytes), BpfMap.ANY);
    }
  }

  /** To be called at the end of the recording. */
  public void end() {
    hurry.end();
  }

  /** Takes a {@code copy_record} that may be unwound later, when there is time. */
  public void takeLater(MemorySegment record, RawStacks stacks, RawProcesses processes) {
    int owner =
        processes.index(
            record.get(JAVA_LONG, Records.STACK_PROCESS_OFFSET),
            record.get(JAVA_INT, Records.STACK_TGID_OFFSET),
            record.get(JAVA_LONG, Records.STACK_TIME_OFFSET));
    Optional<ProcessImage> known = processes.image(owner);
    if (!stacks.isFull() && known.isPresent() && pending.addReady(record, owner, known.get())) {
      stacks.addLater(record.get(JAVA_LONG, Records.STACK_ID_OFFSET), owner);
    } else {
      take(record, stacks, processes);
    }
  }

  /** Takes a {@code copy_record}. */
  public void take(MemorySegment record, RawStacks stacks, RawProcesses processes) {
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
    long id = record.get(JAVA_LONG, Records.STACK_ID_OFFSET);
    StackEnd end = StackEnd.UNMAPPED;
    int user = 0;
    if (known.isPresent()) {
      // At once: until then, each of its stacks is copied, and there may be no room for all.
      boolean isNew = !lists.has(process);
      lists.want(process, known.get());
      if (isNew) {
        write();
      }
      end = unwind(record, known.get());
      user = unwinder.frames();
      if (unwinder.missing().isPresent()) {
        if (pending.add(unwinder.missing().get(), record, owner, known.get())) {
          stacks.addLater(id, owner);
          return;
        }
        unwinder.giveUp(true); // by frame pointers, as far as that goes
        unwind(record, known.get());
        unwinder.giveUp(false);
        end = StackEnd.EARLY;
        user = unwinder.frames();
      }
    }
    stacks.add(
        id,
        owner,
        when,
        record.asSlice(Records.COPY_KERNEL_OFFSET),
        record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET),
        unwinder.recorded(),
        user,
        end);
  }

  /** Takes finished tables, and unwinds some of the stacks that waited for them. */
  public void catchUp(RawStacks stacks) {
    for (BackingFile file : tables.take()) {
      pending.ready(file);
    }
    unwindPending(stacks, System.nanoTime() + SLICE_NANOS);
  }

  private void unwindPending(RawStacks stacks, long end) {
    for (Optional<Pending> next = pending.next(); next.isPresent(); next = pending.next()) {
      unwindPending(next.get(), stacks);
      if (System.nanoTime() > end) {
        return;
      }
    }
  }

  private void unwindPending(Pending one, RawStacks stacks) {
    Optional<MemorySegment> read = pending.read(one);
    if (read.isEmpty()) {
      pending.done(one); // the placeholder stays
      return;
    }
    MemorySegment record = read.get();
    long when = record.get(JAVA_LONG, Records.STACK_TIME_OFFSET);
    StackEnd end = unwind(record, one.image());
    if (unwinder.missing().isPresent() && !unwinder.isGivingUp()) {
      pending.addAgain(unwinder.missing().get(), one);
      return;
    }
    lists.want(record.get(JAVA_LONG, Records.STACK_PROCESS_OFFSET), one.image());
    stacks.resolveLater(
        record.get(JAVA_LONG, Records.STACK_ID_OFFSET),
        one.owner(),
        when,
        record.asSlice(Records.COPY_KERNEL_OFFSET),
        record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET),
        unwinder.recorded(),
        unwinder.frames(),
        unwinder.missing().isPresent() ? StackEnd.EARLY : end);
    pending.done(one);
  }

  /** Whether stacks wait for tables. */
  public boolean isBehind() {
    return !pending.isEmpty();
  }

  /**
   * Unwinds all waiting stacks. Waits for their tables for a time; stacks whose tables are missing
   * then are cut.
   *
   * @param meanwhile runs again and again
   */
  public void unwindAll(RawStacks stacks, long nanos, Runnable meanwhile) {
    long end = System.nanoTime() + nanos;
    while (!pending.isEmpty() && System.nanoTime() < end) {
      maker.await(Math.min(STEP_NANOS, end - System.nanoTime()));
      catchUp(stacks);
      meanwhile.run();
    }
    unwinder.giveUp(true);
    pending.allReady();
    unwindPending(stacks, Long.MAX_VALUE);
    unwinder.giveUp(false);
  }

  private StackEnd unwind(MemorySegment record, ProcessImage of) {
    StackEnd end = unwinder.unwindCopy(record, of);
    int bytes = record.get(JAVA_INT, Records.COPY_BYTES_OFFSET) & ~Records.COPY_AT_ENTRY;
    if (unwinder.readBeyond() && bytes == copyBytes && copyBytes < MAX_COPY_BYTES) {
      copyBytes *= 2;
      setCopyLimit();
    }
    return end;
  }

  /** Writes what the kernel side lacked since the last call. */
  public void write() {
    lists.write();
  }

  /** Whether a table was made since the last call. */
  public boolean hasLearnt() {
    boolean learnt = tables.made() != learntBefore;
    learntBefore = tables.made();
    return learnt;
  }

  /** To be called about once per second. */
  public void tick() {
    lists.tick();
    quietTicks = copiesSinceTick == 0 ? quietTicks + 1 : 0;
    if (quietTicks == QUIET_TICKS) {
      hurry.end();
    }
    copiesSinceTick = 0;
  }

  /** Frees the tables of files that no process maps any more. */
  public void keepOnly(Set<BackingFile> inUse) {
    tables.keepOnly(inUse);
  }

  /** A summary for the facts of the recording. */
  public String summary(KernelPrograms kernel) {
    return "%d; %d by frame pointers alone; %d KB of tables"
        .formatted(
            kernel.counter(Counter.COPIES), kernel.counter(Counter.UNCOPIED), memory.bytes() >> 10);
  }

  /** The number of files whose tables found no room in the kernel side's memory. */
  long refused() {
    return tables.refused();
  }

  /** Adds the files whose tables are being made. */
  public void addFiles(Set<BackingFile> inUse) {
    maker.addFiles(inUse);
  }

  @Override
  public void close() {
    if (started) {
      maker.close();
    }
    pending.close();
    hurry.end();
    if (memory != null) {
      tables.close();
      memory.close();
    }
  }
}
