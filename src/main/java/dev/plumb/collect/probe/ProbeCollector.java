package dev.plumb.collect.probe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Feature;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.mode.LatencyBuckets;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.RecordTaker;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.mode.SumTaker;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Probes that a user names ({@code probe.bpf.c}): how often something happens, and how long it
 * takes.
 */
public final class ProbeCollector
    implements Collector, RecordTaker, SumTaker, OngoingCounter, StackHolder, RowNamer {
  /** The kernel side's bucket of a duration; above it, what else sets events apart. */
  private static final long BUCKET = 0x3f;

  /** Without cookies, one object is loaded for each way to read arguments. */
  private static final int MOST_OBJECTS = 16;

  private static final int SWEEP_TICKS = 10;

  private final ProbeSpec spec;
  private final CollectorContext context;
  private final List<RawProfile> profiles;
  private final int kind;
  private final ProbeDetails details = new ProbeDetails();
  private final List<Collection> objects = new ArrayList<>();
  private final List<AutoCloseable> attached = new ArrayList<>();
  private ProbePoints points;
  private ProbeTable table;
  private int ticks;

  public ProbeCollector(String asked, CollectorContext context, List<RawProfile> profiles) {
    this.spec = ProbeSpec.parse(asked);
    this.context = context;
    this.profiles = profiles;
    // Several may be recorded at once, by programs that share their maps.
    this.kind = Records.PROBE | context.options().modes().indexOf(asked) << 8;
  }

  public static RawProfile.Meaning meaning(String asked) {
    ProbeSpec spec = ProbeSpec.parse(asked);
    String name = asked.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("^_|_$", "");
    ValueType count = new ValueType("count", "count");
    if (spec instanceof ProbeSpec.Counter c && c.counter().isFrequent()) {
      String what = c.counter().text().substring(3);
      String unit = what.endsWith("-clock") ? "nanoseconds" : "count";
      return RawProfile.Meaning.ofEvents(
          asked, name, 1, new ValueType("samples", "count"), new ValueType(what, unit));
    }
    return spec.timed()
        ? RawProfile.Meaning.ofEvents(asked, name, 0, count, new ValueType("time", "nanoseconds"))
        : RawProfile.Meaning.ofEvents(asked, name, 0, count);
  }

  @Override
  public void load(KernelPrograms side) {
    BpfException first = null;
    for (ProbePoints way :
        ProbePoints.of(spec, context.options().target(), context.options().hertz())) {
      try {
        points = way;
        table = new ProbeTable(points, context.options().probes());
        load(side, way);
        return;
      } catch (BpfException e) {
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  private void load(KernelPrograms side, ProbePoints way) {
    boolean cookies = Feature.COOKIES.present();
    int count = cookies ? 1 : table.planCount();
    if (count > MOST_OBJECTS) {
      throw new ModeException(
          "%s: arguments are in %d different places, and this kernel (before 5.15) takes %d; leave out --args"
              .formatted(spec.text(), count, MOST_OBJECTS));
    }
    for (int plan = 0; plan < count; plan++) {
      int only = plan;
      Collection object =
          side.load("probe", List.of(), loaded -> settings(loaded, way, cookies, only));
      objects.add(object);
      table.write(object.map("plans"));
    }
  }

  private void settings(CollectionSpec object, ProbePoints way, boolean cookies, int plan) {
    object.setVariable("kind", kind);
    object.setVariable("timed", spec.timed());
    object.setVariable("by_cookie", cookies && table.pointCount() > 1);
    object.setVariable("with_arguments", context.options().probes().readsArguments());
    object.setVariable("only_plan", plan);
    object.map("plans").maxEntries(table.planCount());
    way.prepare(object);
  }

  @Override
  public void start() {
    boolean cookies = Feature.COOKIES.present();
    for (int i = 0; i < objects.size(); i++) {
      int[] which = cookies ? IntStream.range(0, table.pointCount()).toArray() : table.points(i);
      long[] values =
          cookies && table.pointCount() > 1
              ? IntStream.of(which).mapToLong(table::cookie).toArray()
              : new long[0];
      points.attach(objects.get(i), which, values, attached);
    }
  }

  @Override
  public int recordKind() {
    return kind;
  }

  @Override
  public List<Collection> objects() {
    return objects;
  }

  /** A probe_record, or a detail_record, which is longer. */
  @Override
  public void take(MemorySegment record) {
    if (record.byteSize() >= ProbeDetails.RECORD_SIZE) {
      details.learn(record, table);
      return;
    }
    context
        .samples()
        .add(
            profiles,
            record.get(JAVA_LONG, Records.TIME_OFFSET),
            record.get(JAVA_LONG, Records.STACK_OFFSET),
            record.get(JAVA_INT, Records.TID_OFFSET),
            0,
            record.get(JAVA_INT, Records.CPU_OFFSET),
            record.get(JAVA_LONG, 40));
  }

  @Override
  public void takeSum(KernelSum sum) {
    int detail = details.number(sum.detail());
    if (spec.timed()) {
      context.samples().addAll(profiles, sum, detail, sum.count(), sum.value());
    } else {
      context.samples().addAll(profiles, sum, detail, sum.count());
    }
  }

  /** Calls of processes that have ended will not return. */
  @Override
  public void tick() {
    if (spec.timed() && ++ticks % SWEEP_TICKS == 0) {
      sweep(Long.MAX_VALUE);
    }
  }

  @Override
  public void stop() {
    for (AutoCloseable link : attached.reversed()) {
      try {
        link.close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot detach " + spec.text(), e);
      }
    }
    attached.clear();
  }

  @Override
  public void countUnended(long now) {
    if (spec.timed()) {
      sweep(now);
    }
  }

  /**
   * Counts calls that have not returned. Calls of living processes have lasted until now; for ended
   * processes, the duration is unknown and counts as 0.
   *
   * <p>struct call_key: 0 place, 8 owner, 12 probe. struct call: 0 since, 8 stack, 16 detail, 24
   * tid, 28 tgid.
   *
   * @param now Long.MAX_VALUE to leave calls of living processes alone
   */
  private void sweep(long now) {
    Map<Integer, Boolean> alive = new HashMap<>();
    for (Collection object : objects) {
      List<byte[]> ended = new ArrayList<>();
      object
          .map("calls")
          .forEach(
              (key, call) -> {
                boolean lives =
                    alive.computeIfAbsent(
                        call.get(JAVA_INT, 28), pid -> Files.exists(Path.of("/proc/" + pid)));
                if (lives && now == Long.MAX_VALUE) {
                  return;
                }
                long taken = lives ? Math.max(0, now - call.get(JAVA_LONG, 0)) : 0;
                takeSum(
                    new KernelSum(
                        now == Long.MAX_VALUE ? call.get(JAVA_LONG, 0) : now,
                        call.get(JAVA_LONG, 8),
                        call.get(JAVA_LONG, 16) | LatencyBuckets.of(taken),
                        call.get(JAVA_INT, 24),
                        1,
                        taken,
                        0));
                ended.add(key.toArray(JAVA_BYTE));
              });
      ended.forEach(key -> delete(object, key));
    }
  }

  @Override
  public void meetHeld(Runnable meanwhile) {
    objects.forEach(object -> context.samples().meet(object.map("calls"), meanwhile, 8));
  }

  private static void delete(Collection object, byte[] key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(key.length, 8);
      copy.copyFrom(MemorySegment.ofArray(key));
      object.map("calls").delete(copy);
    }
  }

  @Override
  public Labels labels(int stack, int thread, int detail, Naming naming) {
    Labels labels = details.labels(detail, table);
    return spec.timed()
        ? labels.with(LatencyBuckets.LABEL, LatencyBuckets.text(details.of(detail) & BUCKET))
        : labels;
  }

  /** A system call has no frame of its own. */
  @Override
  public Optional<Frame> leaf(int stack, int thread, int detail, Naming naming) {
    return spec instanceof ProbeSpec.Syscall
        ? Optional.of(Frame.ofName(details.name(detail, table), FrameKind.KERNEL))
        : Optional.empty();
  }

  @Override
  public void close() {
    stop();
    objects.forEach(Collection::close);
    objects.clear();
  }
}
