package dev.plumb.collect.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.KernelTracepoints;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.mode.OngoingCounter;
import dev.plumb.collect.mode.RowNamer;
import dev.plumb.collect.mode.SampleSink;
import dev.plumb.collect.mode.StackHolder;
import dev.plumb.collect.mode.SummingCollector;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.linux.kernel.NumaNodes;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory that the kernel allocates and does not free: objects and pages ({@code kmem.bpf.c}). Every
 * allocation counts. Objects are in pages, so each has columns of its own.
 */
public final class KernelMemoryCollector extends SummingCollector
    implements OngoingCounter, StackHolder, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
              "kmem",
              "kernel_memory",
              3,
              new ValueType("alloc_objects", "count"),
              new ValueType("alloc_space", "bytes"),
              new ValueType("inuse_objects", "count"),
              new ValueType("inuse_space", "bytes"),
              new ValueType("alloc_pages", "count"),
              new ValueType("inuse_pages", "count"))
          .per(new ValueType("space", "bytes"));

  /**
   * Kernels before 6.1 have tracepoints of their own for memory of one node (11e9734bcb6a,
   * "mm/slab_common: unify NUMA and UMA version of tracepoints").
   */
  private static final List<String> OF_NODES = List.of("kmalloc_node", "kmem_cache_alloc_node");

  private static final Map<String, String> PROGRAMS =
      Map.of(
          "kmalloc", "on_kmalloc",
          "kmalloc_node", "on_kmalloc_node",
          "kmem_cache_alloc", "on_cache_alloc",
          "kmem_cache_alloc_node", "on_cache_alloc_node",
          "kfree", "on_kfree",
          "kmem_cache_free", "on_cache_free",
          "mm_page_alloc", "on_page_alloc",
          "mm_page_free", "on_page_free");

  /** The tracepoints that the mode needs. */
  public static final List<String> NEEDED =
      List.of(
          "kmalloc",
          "kmem_cache_alloc",
          "kfree",
          "kmem_cache_free",
          "mm_page_alloc",
          "mm_page_free");

  /** Details of the kernel side; the node stands above them. */
  private static final int PAGES = 1;

  private static final int NODE = 2;
  private static final int REMOTE = 4;
  private static final int NODE_SHIFT = 8;

  /** A row's detail is one of those above the age of what is in use, or this. */
  private static final int ALLOCATED = 0xff;

  private static final int AGE_BITS = 8;

  /** A row of memory in use. */
  private record InUse(long stack, int tid, int age, int detail) {}

  public KernelMemoryCollector(SampleSink samples, List<RawProfile> profiles) {
    super("kmem", Records.KMEM, probes(), samples, profiles);
  }

  /**
   * Programs for freeing are attached first, so that whatever is allocated afterwards is also seen
   * when it is freed.
   */
  private static List<Probe> probes() {
    List<String> points = new ArrayList<>(NEEDED.reversed());
    OF_NODES.stream().filter(KernelTracepoints::exists).forEach(points::add);
    List<Probe> probes = new ArrayList<>();
    for (String point : points) {
      String program = PROGRAMS.get(point);
      probes.add(Probe.tracepoint(point, program + "_btf", program + "_raw"));
    }
    return probes;
  }

  /**
   * Tells the programs which argument of the tracepoints is the size. From 5.19 to 6.0, the cache
   * came before it (b347aa7b5747, "mm/tracing: add 'accounted' entry into output of allocation
   * tracepoints").
   */
  @Override
  protected void settings(CollectionSpec spec) {
    boolean hasNodes = KernelTracepoints.exists(OF_NODES.getFirst());
    int at = hasNodes && KernelTracepoints.arguments("kmalloc") > 5 ? 4 : 3;
    spec.setVariable("kmalloc_size_at", at);
    spec.setVariable("cache_size_at", hasNodes ? at : 0);
    spec.setVariable("several_nodes", NumaNodes.ofCpus().length > 0);
    OF_NODES.stream()
        .filter(point -> !KernelTracepoints.exists(point))
        .forEach(point -> spec.program(PROGRAMS.get(point) + "_btf").autoload(false));
  }

  @Override
  public void takeSum(KernelSum sum) {
    int detail = row((int) sum.detail(), ALLOCATED);
    if ((sum.detail() & PAGES) != 0) {
      add(sum, detail, 0, 0, 0, 0, sum.value(), 0);
    } else {
      add(sum, detail, sum.count(), sum.value(), 0, 0, 0, 0);
    }
  }

  private static int row(int detail, int age) {
    return detail << AGE_BITS | age;
  }

  /** What is in use. struct live: 0 amount, 8 stack, 16 time, 24 tid, 28 detail. */
  @Override
  public void countPresent(long now) {
    Map<InUse, long[]> rows = new HashMap<>();
    programs()
        .map("live_memory")
        .forEach(
            (address, live) -> {
              InUse row =
                  new InUse(
                      live.get(JAVA_LONG, 8),
                      live.get(JAVA_INT, 24),
                      BlockAges.of(now - live.get(JAVA_LONG, 16)),
                      live.get(JAVA_INT, 28));
              long[] amounts = rows.computeIfAbsent(row, x -> new long[2]);
              amounts[0]++;
              amounts[1] += live.get(JAVA_LONG, 0);
            });
    rows.forEach(
        (row, amounts) -> {
          KernelSum sum = new KernelSum(now, row.stack(), 0, row.tid(), amounts[0], amounts[1], 0);
          int detail = row(row.detail(), row.age());
          if ((row.detail() & PAGES) != 0) {
            add(sum, detail, 0, 0, 0, 0, 0, amounts[1]);
          } else {
            add(sum, detail, 0, 0, amounts[0], amounts[1], 0, 0);
          }
        });
  }

  @Override
  public void meetHeld(Runnable meanwhile) {
    meet("live_memory", meanwhile, 8);
  }

  /** The age of what is in use; on machines with several nodes, where pages lie. */
  @Override
  public Labels labels(int stack, int thread, int row, Naming naming) {
    int age = row & (1 << AGE_BITS) - 1;
    int detail = row >>> AGE_BITS;
    Labels labels = age == ALLOCATED ? Labels.NONE : Labels.of("age", BlockAges.text(age));
    return (detail & NODE) == 0
        ? labels
        : labels
            .with("node", Integer.toString(detail >>> NODE_SHIFT))
            .with("numa", (detail & REMOTE) != 0 ? "remote" : "local");
  }
}
