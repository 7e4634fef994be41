package dev.plumb.collect;

import dev.plumb.collect.kernel.KernelFunctions;
import dev.plumb.collect.memory.KernelMemoryCollector;
import dev.plumb.collect.memory.LightMemoryCollector;
import dev.plumb.collect.memory.MemoryCollector;
import dev.plumb.collect.mode.BlockCollector;
import dev.plumb.collect.mode.CacheCollector;
import dev.plumb.collect.mode.CpuCollector;
import dev.plumb.collect.mode.FaultCollector;
import dev.plumb.collect.mode.ForkCollector;
import dev.plumb.collect.mode.IoCollector;
import dev.plumb.collect.mode.LoadCollector;
import dev.plumb.collect.mode.ReadaheadCollector;
import dev.plumb.collect.probe.ProbeCollector;
import dev.plumb.collect.probe.ProbeSpec;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.collect.wait.LockCollector;
import dev.plumb.collect.wait.LockHolders;
import dev.plumb.collect.wait.OffCpuCollector;
import dev.plumb.collect.wait.RunQueueCollector;
import dev.plumb.collect.wait.WaitingThreads;
import dev.plumb.profile.ValueType;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The modes there are; a new one is a line here. */
public final class Modes {
  private static final Mode CPU =
      Mode.of(
          "cpu",
          "where CPUs spend their time, sampled",
          List.of(),
          (asked, hertz) -> CpuCollector.meaning(hertz),
          (asked, context, profiles) ->
              new CpuCollector(context.samples(), profiles, context.options().hertz()));

  private static final Mode OFFCPU =
      Mode.of(
          "offcpu",
          "what threads wait for, and who wakes them; every wait",
          List.of("sched_switch", "sched_waking"),
          (asked, hertz) -> OffCpuCollector.meaning(),
          (asked, context, profiles) ->
              new OffCpuCollector(
                  context.samples(),
                  profiles,
                  context.options().waits(),
                  new WaitingThreads(context.stacks(), context.processes(), context.unwinding())));

  private static final Mode WALL =
      new Mode(
          "wall",
          "running and waiting together: each thread's time adds up to wall-clock time",
          OFFCPU.tracepoints(),
          (asked, hertz) -> wallMeaning(hertz),
          List.of("cpu", "offcpu"),
          (asked, context, profiles) -> {
            throw new IllegalStateException("wall has no collector of its own");
          },
          Optional::empty);

  private static final Mode RUNQ =
      Mode.of(
          "runq",
          "how long runnable threads wait for a CPU; every wait",
          List.of("sched_switch", "sched_wakeup"),
          (asked, hertz) -> RunQueueCollector.MEANING,
          (asked, context, profiles) -> new RunQueueCollector(context.samples(), profiles));

  private static final Mode LOAD =
      Mode.of(
          "load",
          "how many threads want each CPU, and what runs meanwhile, sampled",
          List.of(),
          (asked, hertz) -> LoadCollector.meaning(),
          (asked, context, profiles) ->
              new LoadCollector(context.samples(), profiles, context.options().hertz()));

  private static final Mode MEM =
      Mode.of(
          "mem",
          "memory that programs allocate and do not free; every allocation",
          List.of("sched_process_exit"),
          (asked, hertz) -> MemoryCollector.MEANING,
          (asked, context, profiles) -> new MemoryCollector(context, profiles));

  private static final Mode MEM_LIGHT =
      Mode.of(
          LightMemoryCollector.MODE,
          "the same at low cost (mem --light): who allocates, estimated, and whose memory grows",
          List.of("sched_process_exit", "rss_stat"),
          (asked, hertz) -> LightMemoryCollector.MEANING,
          (asked, context, profiles) -> new LightMemoryCollector(context, profiles));

  private static final Mode KMEM =
      Mode.of(
          "kmem",
          "memory that the kernel allocates and does not free (mem -k); every allocation",
          KernelMemoryCollector.NEEDED,
          (asked, hertz) -> KernelMemoryCollector.MEANING,
          (asked, context, profiles) -> new KernelMemoryCollector(context.samples(), profiles));

  private static final Mode LOCK =
      Mode.of(
          "lock",
          "how long threads wait for locks of programs and of the kernel; every wait",
          List.of("sched_process_exit"),
          (asked, hertz) -> LockCollector.MEANING,
          (asked, context, profiles) ->
              LockCollector.make(
                  context.samples(),
                  profiles,
                  context.options().waits(),
                  new LockHolders(context.finder())));

  private static final Mode IO =
      Mode.of(
          "io",
          "bytes that programs read and write, and how long that takes, by file; every call",
          List.of("sys_enter", "sys_exit"),
          (asked, hertz) -> IoCollector.MEANING,
          (asked, context, profiles) -> new IoCollector(context.samples(), profiles));

  private static final Mode FORKS =
      Mode.of(
          "forks",
          "who starts processes and threads; every start",
          List.of("sched_process_fork"),
          (asked, hertz) -> ForkCollector.MEANING,
          (asked, context, profiles) -> new ForkCollector(context.samples(), profiles));

  private static final Mode BLOCK =
      Mode.of(
          "block",
          "who makes requests to block devices, and how long they take; every request",
          List.of("block_rq_issue", "block_rq_complete"),
          (asked, hertz) -> BlockCollector.MEANING,
          (asked, context, profiles) -> BlockCollector.make(context.samples(), profiles));

  private static final Mode READAHEAD =
      Mode.of(
              "readahead",
              "pages that the kernel reads ahead of programs, used and unused, by file; every page",
              List.of("mm_filemap_add_to_page_cache", "mm_filemap_delete_from_page_cache"),
              (asked, hertz) -> ReadaheadCollector.MEANING,
              (asked, context, profiles) -> new ReadaheadCollector(context.samples(), profiles))
          .unless(ReadaheadCollector::problem);

  private static final Mode CACHE =
      Mode.of(
              "cache",
              "page-cache lookups of programs, hits and misses, by file; every page",
              List.of("mm_filemap_add_to_page_cache", "mm_filemap_delete_from_page_cache"),
              (asked, hertz) -> CacheCollector.MEANING,
              (asked, context, profiles) -> new CacheCollector(context.samples(), profiles))
          .unless(CacheCollector::problem);

  private static final Mode FAULTS =
      Mode.of(
          "faults",
          "page faults, and by how much resident memory grows; every fault",
          List.of("rss_stat"),
          (asked, hertz) -> FaultCollector.MEANING,
          (asked, context, profiles) -> new FaultCollector(context.samples(), profiles));

  /** Whatever a user names; see {@link ProbeSpec} for the words. */
  private static final Mode PROBE =
      Mode.of(
          "probe",
          "how often an event that you name happens, and how long it takes; every event",
          List.of(),
          (asked, hertz) -> ProbeCollector.meaning(asked),
          ProbeCollector::new);

  private static final List<Mode> ALL =
      List.of(
          CPU, OFFCPU, WALL, RUNQ, LOAD, LOCK, MEM, MEM_LIGHT, KMEM, IO, BLOCK, CACHE, READAHEAD,
          FAULTS, FORKS);

  private Modes() {}

  /** All of them, in the order they are told. */
  public static List<Mode> all() {
    return ALL;
  }

  /** The mode that is asked for, by its name and what stands behind it. */
  public static Mode of(String asked) {
    if (ProbeSpec.isProbe(asked)) {
      ProbeSpec.parse(asked); // says what is wrong with it
      return PROBE;
    }
    return ALL.stream()
        .filter(mode -> mode.name().equals(asked))
        .findFirst()
        .orElseGet(() -> kernelFunction(asked));
  }

  /** Fails, and says why, if one of them cannot be meant. */
  public static void require(List<String> asked) {
    asked.forEach(Modes::of);
  }

  /** A word of its own that is no mode may be a kernel function. */
  private static Mode kernelFunction(String word) {
    if (!KernelFunctions.exists(word)) {
      throw new IllegalArgumentException(
          "unknown mode '" + word + "'; use " + names() + ", or a probe: " + ProbeSpec.FORMS);
    }
    return PROBE;
  }

  private static String names() {
    return ALL.stream().map(Mode::name).collect(Collectors.joining(", "));
  }

  private static RawProfile.Meaning wallMeaning(int hertz) {
    RawProfile.Meaning cpu = CpuCollector.meaning(hertz);
    ValueType time = new ValueType("wall", "nanoseconds");
    return new RawProfile.Meaning(
        "wall", "wall", List.of(cpu.types().getFirst(), time), 1, ValueType.NONE, 0);
  }
}
