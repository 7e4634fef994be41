package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Feature;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelPlace;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.kernel.KernelSum;
import dev.plumb.collect.kernel.Probe;
import dev.plumb.collect.kernel.Records;
import dev.plumb.collect.naming.Naming;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.Labels;
import dev.plumb.profile.ValueType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Readahead ({@code readahead.bpf.c}): pages that the kernel read ahead, used and unused, by the
 * stack of the read that caused it. A page counts when its fate is known: when it is used, when it
 * leaves the cache, or when the recording ends.
 */
public final class ReadaheadCollector extends SummingCollector
    implements OngoingCounter, StackHolder, RowNamer {
  public static final RawProfile.Meaning MEANING =
      RawProfile.Meaning.ofEvents(
          "readahead",
          "readahead",
          0,
          new ValueType("unused", "count"),
          new ValueType("used", "count"),
          new ValueType("pages", "count"));

  private static final List<KernelPlace> PLACES =
      List.of(
          KernelPlace.ofSameName("page_cache_ra_unbounded", "unbounded"),
          KernelPlace.ofSameName("page_cache_ra_order", "order"),
          KernelPlace.ofSameName("page_cache_sync_ra", "sync"),
          KernelPlace.ofSameName("page_cache_async_ra", "async"),
          KernelPlace.ofTracepoint("mm_filemap_add_to_page_cache", "on_add"),
          KernelPlace.ofTracepoint("mm_filemap_delete_from_page_cache", "on_delete"),
          new KernelPlace("mm_filemap_get_pages", "on_get", "folio_mark_accessed", "at_accessed"),
          new KernelPlace("mm_filemap_fault", "on_fault", "filemap_fault", "at_fault"),
          new KernelPlace("mm_filemap_map_pages", "on_map", "filemap_map_pages", "at_map"));

  /** Key of the pages that nobody has used. */
  private record Waiting(long stack, int tid, long file) {}

  private OpenFiles files;
  private final DetailNumbers details = new DetailNumbers(0, file -> files.name(file));

  public ReadaheadCollector(SampleSink samples, List<RawProfile> profiles) {
    super("readahead", Records.READAHEAD, probes(), samples, profiles);
  }

  private static List<Probe> probes() {
    return PLACES.stream().map(KernelPlace::probe).toList();
  }

  /** Why it is not possible here; empty if it is. */
  public static Optional<String> problem() {
    Optional<String> missing = KernelPlace.missing(PLACES);
    if (missing.isPresent()) {
      return missing;
    }
    return Feature.BPF_LOOP.present()
        ? Optional.empty()
        : Optional.of("this kernel has no bpf_loop, which came with Linux 5.17");
  }

  @Override
  protected void settings(CollectionSpec spec) {
    KernelPlace.settings(PLACES, spec);
  }

  @Override
  public void load(KernelPrograms side) {
    problem()
        .ifPresent(
            problem -> {
              throw new ModeException("readahead: " + problem);
            });
    super.load(side);
    files = new OpenFiles(programs().map("open_files"));
  }

  @Override
  public void takeSum(KernelSum sum) {
    count(sum, sum.detail(), sum.value(), sum.count());
  }

  private void count(KernelSum sum, long file, long unused, long used) {
    add(sum, details.number(file), unused, used, unused + used);
  }

  /**
   * Counts the pages that were neither used nor dropped yet. page_key: 0 file, 8 index; ahead: 0
   * stack, 8 tid.
   */
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
                new KernelSum(now, row.stack(), row.file(), row.tid(), pages, 0, 0),
                row.file(),
                pages,
                0));
  }

  /** struct reader: 80 stack, behind three stretches and a page. struct ahead: 0 stack. */
  @Override
  public void meetHeld(Runnable meanwhile) {
    meet("readers", meanwhile, 80);
    meet("pages_ahead", meanwhile, 0);
  }

  @Override
  public Labels labels(int stack, int thread, int number, Naming naming) {
    return Labels.of("file", files.name(details.of(number)));
  }
}
