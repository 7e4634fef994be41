package dev.plumb.store.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.SqlTable;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.TimeSeries;
import dev.plumb.store.dictionary.MergedStacks;
import dev.plumb.store.dictionary.StackDictionary;
import dev.plumb.store.dictionary.StoredFrames;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries stay within their heap allowance and mark what they leave out. */
class StoreHeapTest {
  private static final Selection ALL = Selection.of(ManyStacks.CPU, Selector.ALL, TimeRange.ALL);

  @TempDir private Path folder;

  @Test
  void smallStacksAreSummedUpWhereMemoryIsShort() throws Exception {
    try (Store store = Store.open(StoreOptions.of(folder).withDiskBytes(16 << 20))) {
      // Several dictionaries: each holds 40 000 stacks at this size.
      long total = ManyStacks.fill(store, 8, 2_000);
      Profile whole = HeapAllowance.with(1 << 30, () -> store.functions(ALL));
      assertThat(whole.total(0)).isEqualTo(total);
      assertThat(whole.stacks().frames()).doesNotContain(MergedStacks.OTHER);
      Profile cut = HeapAllowance.with(6 << 20, () -> store.functions(ALL));
      assertThat(cut.total(0)).isEqualTo(total);
      assertThat(cut.stacks().frames()).contains(MergedStacks.OTHER);
      assertThat(cut.stacks().size()).isLessThan(whole.stacks().size() / 2).isGreaterThan(1_000);
    }
  }

  @Test
  void whatDoesNotFitIsRefusedWithAdvice() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      ManyStacks.fill(store, 2, 2_000);
      assertThatThrownBy(() -> HeapAllowance.with(100_000, () -> store.samples(ALL, 1_000_000)))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(StoreException.Reason.TOO_MUCH);
                assertThat(e).hasMessageContaining("ask for a shorter time range");
              });
    }
  }

  @Test
  void aTimelineKeepsOnlyTheLinesThatAreWanted() throws Exception {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      long total = ManyStacks.fill(store, 4, 2_000);
      store.settle();
      // Fifty processes: 10 000 steps of each would be 4 MB.
      long step = 4_000_000_000L / 10_000;
      for (List<String> by : List.of(List.of("pid"), List.of("comm", "pid"), List.of("comm"))) {
        List<TimeSeries> all = store.timeline(ALL, by, step, 0);
        int limit = 3;
        List<TimeSeries> few =
            HeapAllowance.with(1 << 20, () -> store.timeline(ALL, by, step, limit));
        assertThat(few).as("by %s", by).hasSize(limit + 1);
        for (int i = 0; i < limit; i++) {
          assertThat(few.get(i).labels()).isEqualTo(all.get(i).labels());
          assertThat(few.get(i).values()).isEqualTo(all.get(i).values());
        }
        assertThat(few.getLast().labels()).isEqualTo(Labels.NONE);
        assertThat(few.stream().mapToDouble(TimeSeries::total).sum()).isEqualTo(total);
      }
      assertRefused(1 << 20, () -> store.timeline(ALL, List.of("pid"), step, 0), "longer step");
    }
  }

  @Test
  void labelsAndRowsAreWithinTheAllowance() {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      ManyStacks.fill(store, 2, 2_000);
      String advice = "ask for a shorter time range";
      assertRefused(2_000, () -> store.labelValues("pid", Selector.ALL, TimeRange.ALL), advice);
      assertRefused(
          10_000, () -> store.series(List.of(), List.of("comm", "pid"), TimeRange.ALL), advice);
      assertRefused(
          100_000,
          () -> {
            store.sql("SELECT repeat('long', 100000) AS text", new Nothing());
            return true;
          },
          advice);
    }
  }

  /** Takes rows and forgets them. */
  private static final class Nothing implements SqlTable {
    @Override
    public void columns(List<String> names, List<Boolean> numeric) {}

    @Override
    public void row(List<String> cells, boolean[] nulls) {}
  }

  private static void assertRefused(long bytes, Callable<?> question, String advice) {
    assertThatThrownBy(() -> HeapAllowance.with(bytes, question))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(StoreException.Reason.TOO_MUCH);
              assertThat(e).hasMessageContaining(advice);
            });
  }

  @Test
  void aWithdrawnQuestionEnds() throws Exception {
    try (Store store = Store.open(StoreOptions.of(folder))) {
      ManyStacks.fill(store, 2, 2_000);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> store.functions(ALL)).hasMessageContaining("cancelled");
      assertThat(Thread.interrupted()).isTrue();
      assertThat(store.functions(ALL).rows()).isPositive();
    }
  }

  @Test
  void instructionsAreNotToldApart() {
    Frame at = new Frame("f", FrameKind.NATIVE, false, true, "a", "", 0x10, 1, "f.c", 7);
    Frame other = new Frame("f", FrameKind.NATIVE, false, true, "a", "", 0x20, 17, "f.c", 7);
    assertThat(StoredFrames.frame(at)).isEqualTo(StoredFrames.frame(other));
    assertThat(StoredFrames.frame(at).line()).isEqualTo(7);
    Frame unknown =
        new Frame("[unknown in a+0x12]", FrameKind.NATIVE, false, false, "a", "", 0x12, 0, "", 0);
    assertThat(StoredFrames.frame(unknown).name()).isEqualTo("[unknown in a]");
    assertThat(StoredFrames.wakerStack("interrupt", "wake;asm_sysvec_timer;main"))
        .isEqualTo("wake;asm_sysvec_timer");
    assertThat(StoredFrames.wakerStack("sh (1)", "wake;[unknown in a+0x12];main"))
        .isEqualTo("wake;[unknown in a];main");
  }

  @Test
  void aPreemptedThreadIsWhereItWasInterrupted() {
    StackTable.Builder builder = new StackTable.Builder();
    int main = called(builder, builder.empty(StackEnd.WHOLE), "main", FrameKind.NATIVE);
    int stack = called(builder, main, "asm_sysvec_apic_timer_interrupt", FrameKind.KERNEL);
    stack = called(builder, stack, "__schedule", FrameKind.KERNEL);
    int preempted = called(builder, stack, "[preempted]", FrameKind.WAITING);
    int waiting = called(builder, stack, "[lock]", FrameKind.WAITING);
    StackTable table = builder.build();
    assertThat(StoredFrames.interrupted(table, preempted)).isEqualTo(main);
    assertThat(StoredFrames.interrupted(table, waiting)).isEqualTo(waiting);
    StackDictionary dictionary = new StackDictionary(0, 0);
    dictionary.number(table, preempted);
    assertThat(dictionary.stackCount() - StackDictionary.ENDS).isEqualTo(2);
  }

  private static int called(StackTable.Builder stacks, int caller, String name, FrameKind kind) {
    return stacks.called(caller, stacks.frame(Frame.ofName(name, kind)));
  }
}
