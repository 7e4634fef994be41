package dev.plumb.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Stacks share common callers and stay distinct. */
class StackTableTest {
  private final StackTable.Builder builder = new StackTable.Builder();

  @Test
  void aStackIsItsFramesAndItsEnd() {
    int a = builder.frame(Frame.ofName("a", FrameKind.NATIVE));
    int b = builder.frame(Frame.ofName("b", FrameKind.NATIVE));
    int ab = builder.stack(new int[] {a, b, 99}, 2, StackEnd.WHOLE);
    assertThat(builder.called(builder.stack(new int[] {b}, 1, StackEnd.WHOLE), a)).isEqualTo(ab);
    int cut = builder.stack(new int[] {a, b}, 2, StackEnd.DEPTH);
    assertThat(cut).isNotEqualTo(ab);
    StackTable table = builder.build();
    assertThat(table.frameIds(ab)).containsExactly(a, b);
    assertThat(table.end(ab)).isEqualTo(StackEnd.WHOLE);
    assertThat(table.end(cut)).isEqualTo(StackEnd.DEPTH);
    assertThat(table.depth(ab)).isEqualTo(2);
    assertThat(table.leaf(ab)).isEqualTo(a);
    assertThat(table.frameIds(table.caller(ab))).containsExactly(b);
    assertThat(table.isEmpty(table.caller(table.caller(ab)))).isTrue();
  }

  @Test
  void reasonsOfLaterVersionsAreReasons() {
    for (StackEnd end : StackEnd.values()) {
      assertThat(StackEnd.ofOrdinal(end.ordinal())).isEqualTo(end);
      assertThat(StackEnd.ofText(end.text())).isEqualTo(end);
    }
    assertThat(StackEnd.ofOrdinal(100)).isEqualTo(StackEnd.OTHER);
    assertThat(StackEnd.ofText("bewitched")).isEqualTo(StackEnd.OTHER);
  }

  @Test
  void manyStacksStayApart() {
    Random random = new Random(5);
    Map<String, Integer> known = new HashMap<>();
    Map<Integer, int[]> content = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      int[] ids = random.ints(random.nextInt(12), 0, 4).toArray();
      StackEnd end = StackEnd.values()[random.nextInt(2)];
      int stack = builder.stack(ids, ids.length, end);
      Integer before = known.putIfAbsent(java.util.Arrays.toString(ids) + end, stack);
      if (before != null) {
        assertThat(stack).isEqualTo(before);
      }
      content.put(stack, ids);
      if (i == 50_000) {
        builder.reserve(1_000_000);
      }
    }
    assertThat(content).hasSameSizeAs(known);
    StackTable table = builder.build();
    content.forEach((stack, ids) -> assertThat(table.frameIds(stack)).isEqualTo(ids));
  }
}
