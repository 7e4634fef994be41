package dev.plumb.collect.mode;

import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelPlace;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.KernelTracepoints;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.List;
import java.util.Optional;

/**
 * The page cache ({@code cache.bpf.c}): pages that reads and faults of programs look for, found and
 * missing ones, by stack and file. Every page counts.
 */
public final class CacheCollector extends SummingCollector implements DetailKeeper, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "cache",
          "page_cache",
          1,
          new ValueType("pages", "count"),
          new ValueType("misses", "count"),
          new ValueType("hits", "count"));

  private static final long FILE_MASK = (1L << 48) - 1;
  private static final long MAPPED_BIT = 1L << 48;

  /**
   * The places to watch. A class of its own, because older kernels have other tracepoints, whose
   * programs have other names; they are looked up only when the mode is used.
   */
  private static final class Places {
    static final List<KernelPlace> ALL =
        List.of(
            KernelPlace.ofTracepoint("mm_filemap_add_to_page_cache", "on_add"),
            KernelPlace.ofTracepoint("mm_filemap_delete_from_page_cache", "on_delete"),
            KernelTracepoints.exists("writeback_dirty_page")
                ? KernelPlace.ofTracepoint("writeback_dirty_page", "on_dirty_page")
                : KernelPlace.ofTracepoint("writeback_dirty_folio", "on_dirty_folio"),
            KernelTracepoints.hasFunction("folio_mark_accessed")
                ? reads("folio_mark_accessed", "at_accessed")
                : reads("mark_page_accessed", "at_page_accessed"),
            new KernelPlace("mm_filemap_fault", "on_fault", "filemap_fault", "at_fault"),
            new KernelPlace("mm_filemap_map_pages", "on_map", "filemap_map_pages", "at_map"));

    private static KernelPlace reads(String function, String program) {
      return new KernelPlace("mm_filemap_get_pages", "on_get", function, program);
    }
  }

  private OpenFiles files;
  private final DetailNumbers details =
      new DetailNumbers(~FILE_MASK, detail -> files.name(detail & FILE_MASK));

  public CacheCollector(SampleSink samples, List<RawProfile> profiles) {
    super(
        "cache",
        Records.CACHE,
        Places.ALL.stream().map(KernelPlace::probe).toList(),
        samples,
        profiles);
  }

  /** Why it is not possible here; empty if it is. */
  public static Optional<String> problem() {
    return KernelPlace.missing(Places.ALL);
  }

  @Override
  protected void settings(CollectionSpec spec) {
    KernelPlace.settings(Places.ALL, spec);
  }

  @Override
  public void load(KernelPrograms side) {
    problem()
        .ifPresent(
            problem -> {
              throw new ModeException("cache: " + problem);
            });
    super.load(side);
    files = new OpenFiles(programs().map("open_files"));
  }

  @Override
  public void takeSum(KernelSum sum) {
    long hits = sum.count();
    long misses = sum.value();
    add(sum, details.number(sum.detail()), hits + misses, misses, hits);
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
    return Labels.of(
        "file",
        files.name(detail & FILE_MASK),
        "by",
        (detail & MAPPED_BIT) != 0 ? "fault" : "read");
  }
}
