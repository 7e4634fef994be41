package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

  /** What it needs of the kernel: {@code readahead:*} came with 6.18. */
  static final List<String> TRACEPOINTS =
      List.of(
          "page_cache_ra_unbounded",
          "page_cache_ra_order",
          "page_cache_sync_ra",
          "page_cache_async_ra",
          "mm_filemap_add_to_page_cache",
          "mm_filemap_delete_from_page_cache",
          "mm_filemap_get_pages",
          "mm_filemap_fault",
          "mm_filemap_map_pages");

  private static final List<String> PROGRAMS =
      List.of(
          "on_unbounded",
          "on_order",
          "on_sync",
          "on_async",
          "on_add",
          "on_delete",
          "on_get",
          "on_fault",
          "on_map");

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
    List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < PROGRAMS.size(); i++) {
      String program = PROGRAMS.get(i);
      probes.add(Probe.tracepoint(TRACEPOINTS.get(i), program + "_btf", program + "_raw"));
    }
    return probes;
  }

  @Override
  public void load(KernelSide side) {
    for (String name : TRACEPOINTS) {
      if (!KernelTracepoints.exists(name)) {
        throw new ModeException(
            "this kernel has no tracepoint %s, which readahead needs (Linux 6.18 has it)"
                .formatted(name));
      }
    }
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
