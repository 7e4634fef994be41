package dev.plumb.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.TestRecordings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallTreeTest {
  @Test
  void mergesByFunctionUnderTheProcess() {
    Profile profile =
        profile("a;main;f;g 3", "a;main;f 2", "a;main;h 10", "b;main 1", "a;main;f;g 4", "b 5");
    assertThat(lines(CallTree.of(profile, 0)))
        .containsExactly(
            "all 0 25",
            " a 0 19",
            "  main 0 19",
            "   h 10 10",
            "   f 2 9",
            "    g 7 7",
            " b 5 6",
            "  main 1 1");
  }

  @Test
  void keepsKindsAndModulesApart() {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    int thread = builder.thread(thread("p"));
    int none = builder.labels(Labels.NONE);
    for (Frame frame :
        List.of(
            Frame.ofName("read", FrameKind.KERNEL),
            Frame.ofName("read", FrameKind.NATIVE),
            new Frame("read", FrameKind.NATIVE, false, true, "libc", "", 1, 0, "", 0),
            new Frame("read", FrameKind.NATIVE, false, true, "libc", "", 2, 1, "x.c", 9),
            new Frame("read", FrameKind.NATIVE, true, true, "libc", "", 2, 1, "x.c", 9))) {
      int stack = stacks.stack(new int[] {stacks.frame(frame)}, 1, StackEnd.WHOLE);
      builder.add(builder.row(stack, thread, none), 0, 1);
    }
    CallTree tree = CallTree.of(builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN), 0);
    assertThat(tree.size()).isEqualTo(2 + 4);
    assertThat(tree.symbol(tree.firstChild(1)).module()).isEqualTo("libc");
    assertThat(tree.total(tree.firstChild(1), 0)).isEqualTo(2);
  }

  @Test
  void twoProfilesStandSideBySide() {
    CallTreeBuilder builder = new CallTreeBuilder(2);
    builder.add(profile("a;x 3", "a;y 1"), new int[] {0}, new int[] {0});
    builder.add(profile("a;y 2", "c 4"), new int[] {0}, new int[] {1});
    CallTree tree = builder.build();
    assertThat(tree.total(0, 0)).isEqualTo(4);
    assertThat(tree.total(0, 1)).isEqualTo(6);
    assertThat(tree.size()).isEqualTo(5);
  }

  @Test
  void stacksThatAreNotWholeHangUnderTheReason() {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    int thread = builder.thread(thread("p"));
    int none = builder.labels(Labels.NONE);
    int[] frames = {stacks.frame(Frame.ofName("f", FrameKind.NATIVE))};
    for (StackEnd end : List.of(StackEnd.WHOLE, StackEnd.DEPTH)) {
      builder.add(builder.row(stacks.stack(frames, 1, end), thread, none), 0, 1 + end.ordinal());
    }
    Profile profile = builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    assertThat(lines(CallTree.of(profile, 0))).containsExactly("all 0 3", " p 0 3", "  f 3 3");
    assertThat(lines(CallTree.builderWithEnds(profile, 0).build()))
        .containsExactly(
            "all 0 3", " p 0 3", "  [cut: deeper than asked for] 0 2", "   f 2 2", "  f 1 1");
  }

  /** A zoomed subtree is complete however small it is; the rest stays cut. */
  @Test
  void smallNodesStayBelowTheOneThatIsNear() {
    Profile profile = profile("a;big 1000", "b;f;g 2", "b;f;h 3", "b;other 5", "c;x 4");
    int b = Symbol.pathHash(Symbol.ROOT_HASH, Symbol.process("b").stableHash());
    Symbol function = Symbol.of(Frame.ofName("f", FrameKind.NATIVE));
    int near = Symbol.pathHash(b, function.stableHash());
    assertThat(lines(CallTree.builder(profile, 0).build(0, 50)))
        .containsExactly("all 0 1014", " a 0 1000", "  big 1000 1000");
    assertThat(lines(CallTree.builder(profile, 0).build(0, 50, near)))
        .containsExactly(
            "all 0 1014",
            " a 0 1000",
            "  big 1000 1000",
            " b 0 10",
            "  f 0 5",
            "   h 3 3",
            "   g 2 2");
  }

  @Test
  void aTreeOfAnyShapeKeepsTheTotal() {
    try (Recording recording = TestRecordings.varied(3_000, 20_000)) {
      for (Profile profile : recording.profiles()) {
        CallTree both = CallTree.of(profile, 0, 1);
        for (int column = 0; column < 2; column++) {
          assertThat(both.total(0, column)).isEqualTo(profile.total(column));
        }
        CallTree tree = CallTree.of(profile, 0);
        long[] seen = new long[1];
        check(tree, 0, seen);
        assertThat(seen[0]).isEqualTo(tree.size());
      }
    }
  }

  @Test
  void whatIsTooSmallStaysWithItsParent() {
    Profile profile =
        profile("a;main;f;g 30", "a;main;f;h;i 1", "a;main;f;h 1", "a;main;x 60", "b;y;z 1");
    CallTree whole = CallTree.builder(profile, 0).build(11, 20);
    assertThat(whole.cutStacks()).isZero();
    assertThat(whole.size()).isEqualTo(11);
    CallTree tree = CallTree.builder(profile, 0).build(10, 20);
    assertThat(lines(tree))
        .containsExactly(
            "all 0 93", " a 0 92", "  main 0 92", "   x 60 60", "   f 0 32", "    g 30 30");
    assertThat(tree.cutStacks()).isEqualTo(3);
    assertThat(tree.cut(0, 0)).isEqualTo(1);
    int f = tree.nextSibling(tree.firstChild(tree.firstChild(tree.firstChild(0))));
    assertThat(tree.symbol(f).name()).isEqualTo("f");
    assertThat(tree.cut(f, 0)).isEqualTo(2);
  }

  @Test
  void aCutTreeHasTheWholeTotal() {
    try (Recording recording = TestRecordings.varied(3_000, 20_000)) {
      Profile profile = recording.main();
      CallTree tree = CallTree.builder(profile, 0, 1).build(100, 500);
      assertThat(tree.size()).isLessThan(CallTree.of(profile, 0).size());
      assertThat(tree.total(0, 1)).isEqualTo(profile.total(1));
      for (int node = 1; node < tree.size(); node++) {
        assertThat(tree.total(node, 0)).isGreaterThanOrEqualTo(profile.total(0) / 500);
      }
    }
  }

  private static void check(CallTree tree, int node, long[] seen) {
    seen[0]++;
    long sum = tree.self(node, 0);
    long last = Long.MAX_VALUE;
    for (int child = tree.firstChild(node); child >= 0; child = tree.nextSibling(child)) {
      assertThat(tree.parent(child)).isEqualTo(node);
      assertThat(child).isGreaterThan(node);
      assertThat(tree.total(child, 0)).isLessThanOrEqualTo(last);
      last = tree.total(child, 0);
      sum += last;
      check(tree, child, seen);
    }
    assertThat(tree.total(node, 0)).isEqualTo(sum);
  }

  private static List<String> lines(CallTree tree) {
    List<String> lines = new ArrayList<>();
    collect(tree, 0, lines);
    return lines;
  }

  private static void collect(CallTree tree, int node, List<String> lines) {
    lines.add(
        " ".repeat(tree.depth(node))
            + tree.symbol(node).name()
            + " "
            + tree.self(node, 0)
            + " "
            + tree.total(node, 0));
    for (int child = tree.firstChild(node); child >= 0; child = tree.nextSibling(child)) {
      collect(tree, child, lines);
    }
  }

  static ThreadInfo thread(String comm) {
    return new ThreadInfo(1, 1, 1, 0, comm, comm, "");
  }

  /** Rows as folded lines: process, frames from the root, value. */
  static Profile profile(String... folded) {
    StackTable.Builder stacks = new StackTable.Builder();
    Profile.Builder builder = TestRecordings.cpuBuilder();
    for (String line : folded) {
      String[] parts = line.substring(0, line.lastIndexOf(' ')).split(";");
      int[] ids = new int[parts.length - 1];
      for (int i = 1; i < parts.length; i++) {
        ids[parts.length - 1 - i] = stacks.frame(Frame.ofName(parts[i], FrameKind.NATIVE));
      }
      int row =
          builder.row(
              stacks.stack(ids, ids.length, StackEnd.WHOLE),
              builder.thread(thread(parts[0])),
              builder.labels(Labels.NONE));
      builder.add(row, 0, Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)));
    }
    return builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
  }
}
