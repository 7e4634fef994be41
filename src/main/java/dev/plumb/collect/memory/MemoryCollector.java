package dev.plumb.collect.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.collect.kernel.AttachedLinks;
import dev.plumb.collect.kernel.Counter;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.mode.DetailKeeper;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.RecordTaker;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.mode.SumTaker;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.process.BackingFile;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Memory ({@code mem.bpf.c}): what programs allocate and do not free, and what they allocate in
 * total, by probes on their allocators. Every allocation counts.
 */
public final class MemoryCollector
    implements Collector,
        RecordTaker,
        SumTaker,
        OngoingCounter,
        StackHolder,
        DetailKeeper,
        RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
              "mem",
              "memory",
              3,
              new ValueType("alloc_objects", "count"),
              new ValueType("alloc_space", "bytes"),
              new ValueType("inuse_objects", "count"),
              new ValueType("inuse_space", "bytes"),
              new ValueType("bad_frees", "count"))
          .per(new ValueType("space", "bytes"));

  private static final List<Probe> PROBES =
      List.of(Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));

  private static final int ATTEMPTS = 3;
  private static final long LONGEST_WAIT_NANOS = 2_000_000_000L;

  /** Details above the ages of blocks. */
  private static final int ALLOCATED = 100;

  private static final int INVALID_FREE = 101;
  private static final int FIRST_DOUBLE_FREE = 102;
  private static final int MANY_DOUBLE_FREES = 1 << 16;
  private static final long DETAIL_UNKNOWN_FREE = 1;

  /** struct mem_record of {@code mem.bpf.c}. */
  private static final int RECORD_ALLOCATED = 48;

  private static final int RECORD_FREED = 56;

  /** A double free's other stacks. */
  private record DoubleFree(int allocated, int freed) {}

  /** A row of blocks in use. */
  private record InUse(long stack, int tid, int age) {}

  private final CollectorContext context;
  private final List<RawProfile> profiles;
  private final AllocatorFinder finder;
  private final List<Link> links = new ArrayList<>();
  private final List<DoubleFree> doubleFrees = new ArrayList<>();
  private KernelPrograms kernel;
  private Collection programs;
  private AttachedLinks tracepoints = AttachedLinks.NONE;
  private final boolean probesNews;

  /** Names of files whose operators new allocate unseen. */
  private final Set<String> withNews = new HashSet<>();

  private long started;

  /** When the last allocator was found. */
  private long seenSince;

  private boolean isStarted;

  public MemoryCollector(CollectorContext context, List<RawProfile> profiles) {
    this.context = context;
    this.profiles = profiles;
    this.probesNews = context.options().memory().news();
    this.finder = new AllocatorFinder("mem", context.options());
  }

  @Override
  public void load(KernelPrograms side) {
    kernel = side;
    programs = side.load("mem", PROBES, spec -> {});
  }

  @Override
  public void start() {
    tracepoints = kernel.attach(programs, PROBES);
    finder.start(this::attach);
  }

  @Override
  public void begin() {
    started = Clock.monotonic();
  }

  @Override
  public void tick() {
    isStarted = true;
    finder.tick(kernel, this::attach);
  }

  /** A trap at each entry, and one at each return, on the same places; whether they are there. */
  private boolean attach(Allocator allocator, int pid) {
    for (int attempt = 1; ; attempt++) {
      int before = links.size();
      try {
        link(allocator, pid);
        noteAttached(allocator);
        return true;
      } catch (BpfException | SyscallException e) {
        List<Link> some = links.subList(before, links.size());
        some.forEach(Link::close);
        some.clear();
        // Processes that start or end meanwhile may be the reason; a running recording tries again
        // at its next tick.
        if (attempt == ATTEMPTS) {
          if (isStarted) {
            return false;
          }
          throw e;
        }
      }
    }
  }

  /** Until now its allocations were not seen, nor will be where its operators new put them. */
  private void noteAttached(Allocator allocator) {
    if (isStarted) {
      seenSince = Clock.monotonic();
      programs.variable("unseen").set(seenSince);
    }
    if (!probesNews && allocator.places().containsKey(AllocatorFunction.NEW)) {
      withNews.add(allocator.path().getFileName().toString());
    }
  }

  private void link(Allocator allocator, int pid) {
    Path path = allocator.path();
    for (Map.Entry<AllocatorFunction, long[]> entry : allocator.places().entrySet()) {
      AllocatorFunction function = entry.getKey();
      if (entry.getValue().length == 0) {
        continue;
      }
      boolean news = function == AllocatorFunction.NEW && probesNews;
      AllocatorFunction as = news ? AllocatorFunction.MALLOC : function;
      link(as.program(), path, entry.getValue(), false, pid);
      if (as.returns()) {
        link("on_return", path, entry.getValue(), true, pid);
      }
    }
  }

  private void link(String program, Path path, long[] offsets, boolean onReturn, int pid) {
    links.add(
        Links.uprobeMulti(
            programs.program(program),
            path.toString(),
            offsets,
            new long[0],
            new long[0],
            onReturn,
            pid == 0 ? -1 : pid));
  }

  @Override
  public int recordKind() {
    return Records.MEM;
  }

  @Override
  public List<Collection> objects() {
    return List.of(programs);
  }

  /** A double free. */
  @Override
  public void take(MemorySegment record) {
    if (isAllocatorsOwn(unwound(record.get(JAVA_LONG, Records.STACK_OFFSET)))) {
      return;
    }
    doubleFrees.add(
        new DoubleFree(
            context.samples().stack(record.get(JAVA_LONG, RECORD_ALLOCATED)),
            context.samples().stack(record.get(JAVA_LONG, RECORD_FREED))));
    KernelSum sum =
        new KernelSum(
            record.get(JAVA_LONG, Records.TIME_OFFSET),
            record.get(JAVA_LONG, Records.STACK_OFFSET),
            0,
            record.get(JAVA_INT, Records.TID_OFFSET),
            1,
            0,
            0);
    context
        .samples()
        .addAll(profiles, sum, FIRST_DOUBLE_FREE + doubleFrees.size() - 1, 0, 0, 0, 0, 1);
  }

  @Override
  public void takeSum(KernelSum sum) {
    if (sum.detail() != DETAIL_UNKNOWN_FREE) {
      context.samples().addAll(profiles, sum, ALLOCATED, sum.count(), sum.value(), 0, 0, 0);
    } else if (context.samples().processOf(sum.stack()).map(this::isSeenWhole).orElse(false)
        && !isAllocatorsOwn(unwound(sum.stack()))
        && !isOfUnknown(unwound(sum.stack()))) {
      context.samples().addAll(profiles, sum, INVALID_FREE, 0, 0, 0, 0, sum.count());
    }
  }

  /** A stack, unwound now if it waits for tables: whether a free is bad depends on who called. */
  private int unwound(long id) {
    int stack = context.samples().stack(id);
    if (stack < 0) {
      return stack;
    }
    if (context.stacks().isLater(stack)) {
      context.unwinding().unwindAll(context.stacks(), LONGEST_WAIT_NANOS, () -> {});
    }
    return context.stacks().resolved(stack);
  }

  /**
   * The C library calls its own free for blocks that it got without malloc, and for freed blocks
   * that it had kept for a thread.
   */
  private boolean isAllocatorsOwn(int stack) {
    if (stack < 0 || context.stacks().isEmpty(stack)) {
      return false;
    }
    int caller = context.stacks().caller(stack);
    return !context.stacks().isEmpty(caller) && file(stack).equals(file(caller));
  }

  /** Whether a block may have been allocated without our knowing where it is. */
  private boolean isOfUnknown(int stack) {
    return kernel.counter(programs, Counter.LOST_BLOCKS) > 0
        || programs.variable("unseen").get() > 0
        || stack >= 0 && file(stack).map(f -> withNews.contains(f.name())).orElse(false);
  }

  private Optional<BackingFile> file(int stack) {
    int region = context.stacks().places().region(context.stacks().place(stack));
    return region < 0
        ? Optional.empty()
        : Optional.of(context.stacks().regions().mapping(region).file());
  }

  /** Whether all that a process allocated was seen: it was started and has exec'd since. */
  private boolean isSeenWhole(ProcessImage image) {
    return context.options().target().pids().isEmpty()
        && image.from() > image.processStart()
        && image.processStart() > Math.max(started, seenSince);
  }

  /** The blocks that are in use. struct block: 0 size, 8 stack, 16 time, 24 freed, 32 tid. */
  @Override
  public void countPresent(long now) {
    Map<InUse, long[]> rows = new HashMap<>();
    programs
        .map("blocks")
        .forEach(
            (key, block) -> {
              boolean hasStack = block.get(JAVA_LONG, 8) != 0; // else it counts as lost
              if (block.get(JAVA_LONG, 24) == 0 && hasStack) {
                int age = BlockAges.of(now - block.get(JAVA_LONG, 16));
                InUse row = new InUse(block.get(JAVA_LONG, 8), block.get(JAVA_INT, 32), age);
                long[] amounts = rows.computeIfAbsent(row, x -> new long[2]);
                amounts[0]++;
                amounts[1] += block.get(JAVA_LONG, 0);
              }
            });
    rows.forEach(
        (row, amounts) -> {
          KernelSum sum = new KernelSum(now, row.stack(), 0, row.tid(), amounts[0], amounts[1], 0);
          context.samples().addAll(profiles, sum, row.age(), 0, 0, amounts[0], amounts[1], 0);
        });
  }

  /** struct call: 0 sp, 8 size, 16 stack. */
  @Override
  public void meetHeld(Runnable meanwhile) {
    context.samples().meet(programs.map("blocks"), meanwhile, 8, 24);
    context.samples().meet(programs.map("calls"), meanwhile, 16);
  }

  @Override
  public void forget() {
    doubleFrees.clear();
  }

  @Override
  public boolean isLarge() {
    return doubleFrees.size() > MANY_DOUBLE_FREES;
  }

  @Override
  public Labels labels(int stack, int thread, int detail, Naming naming) {
    if (detail == ALLOCATED) {
      return Labels.NONE;
    }
    if (detail < ALLOCATED) {
      return Labels.of("age", BlockAges.text(detail));
    }
    if (detail == INVALID_FREE) {
      return Labels.of("error", "invalid free");
    }
    DoubleFree first = doubleFrees.get(detail - FIRST_DOUBLE_FREE);
    Labels labels = Labels.of("error", "double free");
    if (first.allocated() >= 0) {
      labels = labels.with("allocated", naming.line(first.allocated()));
    }
    return first.freed() >= 0 ? labels.with("first_free", naming.line(first.freed())) : labels;
  }

  @Override
  public void stop() {
    new AttachedLinks(links).close();
    links.clear();
    tracepoints.close();
  }

  @Override
  public void close() {
    stop();
    if (programs != null) {
      programs.close();
    }
  }
}
