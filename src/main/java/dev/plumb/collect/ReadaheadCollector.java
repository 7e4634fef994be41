package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.CollectionSpec;
import dev.plumb.bpf.Features;
import dev.plumb.bpf.Links;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Readahead: pages that the kernel read ahead of programs, used and unused ({@code
 * readahead.bpf.c}), by the stack of the read that made it do so. A page counts when its fate is
 * known: when it is used, when it leaves the cache, or when the recording ends.
 */
final class ReadaheadCollector extends SummingCollector {
  static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "readahead",
          "readahead",
          0,
          new ValueType("unused", "count"),
          new ValueType("used", "count"),
          new ValueType("pages", "count"));

  /**
   * A place to watch: a tracepoint, or else the function that does the same in older kernels.
   *
   * @param function empty if there is none to take its place
   */
  private record Place(String tracepoint, String program, String function, String functionProgram) {
    boolean hasTracepoint() {
      return KernelTracepoints.exists(tracepoint);
    }

    boolean hasFunction() {
      return !function.isEmpty() && KernelTracepoints.hasFunction(function);
    }

    boolean isPossible() {
      return hasTracepoint() || hasFunction() && Features.fentry();
    }

    Probe probe() {
      return hasTracepoint()
          ? Probe.tracepoint(tracepoint, program + "_btf", program + "_raw")
          : new Probe(
              function,
              List.of(
                  new Probe.Way(functionProgram, c -> Links.tracing(c.program(functionProgram)))));
    }
  }

  private static final List<Place> PLACES =
      List.of(
          ofSameName("page_cache_ra_unbounded", "unbounded"),
          ofSameName("page_cache_ra_order", "order"),
          ofSameName("page_cache_sync_ra", "sync"),
          ofSameName("page_cache_async_ra", "async"),
          new Place("mm_filemap_add_to_page_cache", "on_add", "", ""),
          new Place("mm_filemap_delete_from_page_cache", "on_delete", "", ""),
          new Place("mm_filemap_get_pages", "on_get", "folio_mark_accessed", "at_accessed"),
          new Place("mm_filemap_fault", "on_fault", "filemap_fault", "at_fault"),
          new Place("mm_filemap_map_pages", "on_map", "filemap_map_pages", "at_map"));

  private static Place ofSameName(String name, String program) {
    return new Place(name, "on_" + program, name, "at_" + program);
  }

  /** More files than that are told apart by their stacks alone. */
  private static final int MOST_FILES = 1 << 18;

  /** A row of pages that nobody has used. */
  private record Waiting(long stack, int tid, long file) {}

  private final List<Long> ids = new ArrayList<>(List.of(0L));
  private final Map<Long, Integer> numbers = new HashMap<>();
  private OpenFiles files;

  ReadaheadCollector(Samples samples, List<RawProfile> profiles) {
    super("readahead", Records.READAHEAD, probes(), samples, profiles);
  }

  private static List<Probe> probes() {
    return PLACES.stream().map(Place::probe).toList();
  }

  /** Why it is not possible here; empty if it is. */
  static Optional<String> problem() {
    Optional<Place> missing = PLACES.stream().filter(place -> !place.isPossible()).findFirst();
    if (missing.isPresent()) {
      Place place = missing.get();
      String instead =
          place.hasFunction()
              ? " and no BPF at function entries (CONFIG_DYNAMIC_FTRACE)"
              : place.function().isEmpty() ? "" : " and no function " + place.function();
      return Optional.of("this kernel has no tracepoint " + place.tracepoint() + instead);
    }
    return Features.bpfLoop()
        ? Optional.empty()
        : Optional.of("this kernel has no bpf_loop, which came with Linux 5.17");
  }

  @Override
  void settings(CollectionSpec spec) {
    PLACES.stream()
        .filter(place -> !place.hasTracepoint())
        .forEach(place -> spec.program(place.program() + "_btf").autoload(false));
  }

  @Override
  public void load(KernelSide side) {
    problem()
        .ifPresent(
            problem -> {
              throw new ModeException("readahead: " + problem);
            });
    super.load(side);
    files = new OpenFiles(programs().map("open_files"));
  }

  @Override
  public void takeSum(Sum sum) {
    count(sum, sum.detail(), sum.value(), sum.count());
  }

  private void count(Sum sum, long file, long unused, long used) {
    add(sum, number(file), unused, used, unused + used);
  }

  /** The pages that still wait. page_key: 0 file, 8 index; ahead: 0 stack, 8 tid. */
  @Override
  public void countUnended(long now) {
    Map<Waiting, Long> rows = new HashMap<>();
    programs()
        .map("pages_ahead")
        .forEach(
            (key, page) ->
                rows.merge(
                    new Waiting(
                        page.get(JAVA_LONG, 0), page.get(JAVA_INT, 8), key.get(JAVA_LONG, 0)),
                    1L,
                    Long::sum));
    rows.forEach(
        (row, pages) ->
            count(
                new Sum(now, row.stack(), row.file(), row.tid(), pages, 0, 0),
                row.file(),
                pages,
                0));
  }

  private int number(long file) {
    Integer known = numbers.get(file);
    if (known != null) {
      return known;
    }
    if (ids.size() >= MOST_FILES) {
      return 0;
    }
    numbers.put(file, ids.size());
    ids.add(file);
    files.name(file); // while it is known
    return ids.size() - 1;
  }

  @Override
  public Labels labels(int stack, int thread, int number, Naming naming) {
    return number == 0 ? Labels.NONE : Labels.of("file", files.name(ids.get(number)));
  }
}
