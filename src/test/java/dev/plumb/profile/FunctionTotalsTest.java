package dev.plumb.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.testing.TestRecordings;
import org.junit.jupiter.api.Test;

class FunctionTotalsTest {
  private final Profile profile =
      CallTreeTest.profile("a;main;f;g;f 3", "a;main;f 2", "b;main;g;g;g 10", "c 1");

  @Test
  void aRecursiveFunctionCountsOnce() {
    FunctionTotals totals = FunctionTotals.of(profile, 0, By.FUNCTION);
    assertThat(totals.sum()).isEqualTo(16);
    assertThat(totals.hottestSelf(10))
        .extracting(e -> e.name() + " " + e.self() + " " + e.total())
        .containsExactly("g 10 13", "f 5 5", "[no stack] 1 1", "main 0 15");
    assertThat(totals.hottestTotal(2)).extracting(e -> e.name()).containsExactly("main", "g");
  }

  @Test
  void byProcess() {
    FunctionTotals totals = FunctionTotals.of(profile, 0, By.PROCESS);
    assertThat(totals.hottestSelf(10))
        .extracting(e -> e.name() + " " + e.total())
        .containsExactly("b (1) 10", "a (1) 5", "c (1) 1");
  }

  @Test
  void selfAddsUpToTheSumHoweverGrouped() {
    try (Recording recording = TestRecordings.varied()) {
      for (By by : By.values()) {
        FunctionTotals totals = FunctionTotals.of(recording.main(), 1, by);
        long self = totals.entries().stream().mapToLong(e -> e.self()).sum();
        assertThat(self).as("%s", by).isEqualTo(recording.main().total(1));
        assertThat(totals.entries())
            .allSatisfy(e -> assertThat(e.total()).isBetween(e.self(), totals.sum()));
      }
    }
  }

  @Test
  void inlinedCopiesBelongToTheirFunction() {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    int outer = stacks.frame(new Frame("f", FrameKind.NATIVE, false, true, "m", "", 1, 0, "", 0));
    int inner = stacks.frame(new Frame("f", FrameKind.NATIVE, true, true, "m", "", 1, 0, "", 0));
    int stack = stacks.stack(new int[] {inner, outer}, 2, StackEnd.WHOLE);
    int thread = builder.thread(CallTreeTest.thread("p"));
    builder.add(builder.row(stack, thread, builder.labels(Labels.NONE)), 0, 4);
    Profile built = builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    assertThat(FunctionTotals.of(built, 0, By.FUNCTION).entries())
        .containsExactly(new FunctionTotals.Entry("f", SymbolKind.NATIVE, "m", 4, 4));
  }
}
