package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.plumb.bpf.BpfMap;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.kernel.SyscallNames;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * I/O ({@code io.bpf.c}): bytes that system calls and io_uring requests read, wrote and synced, how
 * long they took, and the file or socket. Every call counts.
 */
public final class IoCollector extends SummingCollector
    implements StackHolder, DetailKeeper, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "io",
          "io",
          1,
          new ValueType("calls", "count"),
          new ValueType("bytes", "bytes"),
          new ValueType("latency", "nanoseconds"),
          new ValueType("errors", "count"));

  private static final Set<String> READING =
      Set.of(
          "read",
          "pread64",
          "readv",
          "preadv",
          "preadv2",
          "recvfrom",
          "recvmsg",
          "splice",
          "copy_file_range");
  private static final Set<String> WRITING =
      Set.of(
          "write",
          "pwrite64",
          "writev",
          "pwritev",
          "pwritev2",
          "sendto",
          "sendmsg",
          "sendfile",
          "vmsplice");

  /** System calls that sync a file that they name. */
  private static final Set<String> SYNCING =
      Set.of("fsync", "fdatasync", "sync_file_range", "syncfs");

  private static final Set<String> SYNCING_OTHERS = Set.of("msync", "sync");

  /** For each, the number that {@code io.bpf.c} knows it by. */
  private static final Map<Integer, Set<String>> DIRECTIONS =
      Map.of(1, READING, 2, WRITING, 3, SYNCING, 4, SYNCING_OTHERS);

  private static final long FILE_MASK = (1L << 48) - 1;
  private static final int BUCKET_SHIFT = 48;
  private static final long WRITE_BIT = 1L << 54;
  private static final long FAILED_BIT = 1L << 55;
  private static final int OPERATION_SHIFT = 56;
  private static final int OPERATION_MASK = 0x3f;
  private static final long SYNC_BIT = 1L << 62;

  private OpenFiles files;
  private final DetailNumbers details =
      new DetailNumbers(~FILE_MASK, detail -> files.name(detail & FILE_MASK));

  public IoCollector(SampleSink samples, List<RawProfile> profiles) {
    super("io", Records.IO, probes(), samples, profiles);
  }

  private static List<Probe> probes() {
    List<Probe> probes = new ArrayList<>();
    probes.add(Probe.tracepoint("sys_enter", "on_enter_btf", "on_enter_raw"));
    probes.add(Probe.tracepoint("sys_exit", "on_leave_btf", "on_leave_raw"));
    probes.add(Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));
    probes.addAll(UringOperations.probes());
    return probes;
  }

  @Override
  protected void settings(CollectionSpec spec) {
    UringOperations.settings(spec);
  }

  @Override
  public void load(KernelPrograms side) {
    super.load(side);
    files = new OpenFiles(programs().map("open_files"));
    BpfMap directions = programs().map("directions");
    try (Arena arena = Arena.ofConfined()) {
      for (int number = 0; number < directions.maxEntries(); number++) {
        String name = SyscallNames.name(number);
        MemorySegment key = arena.allocateFrom(JAVA_INT, number);
        DIRECTIONS.forEach(
            (direction, names) -> {
              if (names.contains(name)) {
                directions.update(key, arena.allocateFrom(JAVA_INT, direction), BpfMap.ANY);
              }
            });
      }
    }
  }

  private static String direction(long detail) {
    if ((detail & SYNC_BIT) != 0) {
      return "sync";
    }
    return (detail & WRITE_BIT) != 0 ? "write" : "read";
  }

  @Override
  public void takeSum(KernelSum sum) {
    long errors = (sum.detail() & FAILED_BIT) != 0 ? sum.count() : 0;
    add(sum, details.number(sum.detail()), sum.count(), sum.value(), sum.extra(), errors);
  }

  /** struct io_request: 0 since, 8 stack. */
  @Override
  public void meetHeld(Runnable meanwhile) {
    meet("io_requests", meanwhile, 8);
  }

  @Override
  public void forget() {
    details.clear();
    files.forget();
  }

  @Override
  public boolean isLarge() {
    return files.isNearlyFull();
  }

  @Override
  public Labels labels(int stack, int thread, int number, Naming naming) {
    long detail = details.of(number);
    Labels labels =
        Labels.of(
            "file",
            files.name(detail & FILE_MASK),
            "direction",
            direction(detail),
            LatencyBuckets.LABEL,
            LatencyBuckets.text(detail >>> BUCKET_SHIFT));
    int operation = (int) (detail >>> OPERATION_SHIFT) & OPERATION_MASK;
    if (operation != 0) {
      labels = labels.with("operation", UringOperations.name(operation));
    }
    return (detail & FAILED_BIT) != 0 ? labels.with("failed", "yes") : labels;
  }
}
