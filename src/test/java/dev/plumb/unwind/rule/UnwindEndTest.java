package dev.plumb.unwind.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.StackUnwinder;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Where and why stacks end, on stacks made by hand. */
class UnwindEndTest {
  private static final long STACK = 0x7ffd_0000L;

  /** Code at 0x1000, 0x2000, … with one rule each, loaded 0x10_0000 higher. */
  private static final UnwindRule[] RULES = {
    new UnwindRule(UnwindRule.CFA_RSP, 16, UnwindRule.RBP_SAME, 0),
    new UnwindRule(UnwindRule.CFA_RBP, 16, UnwindRule.RBP_AT_CFA, -16),
    new UnwindRule(UnwindRule.CFA_END, 0, UnwindRule.RBP_UNDEFINED, 0),
    new UnwindRule(UnwindRule.CFA_UNSUPPORTED, 0, UnwindRule.RBP_UNDEFINED, 0),
    new UnwindRule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_UNDEFINED, 0),
    new UnwindRule(UnwindRule.CFA_REGISTER + 12, 8, UnwindRule.RBP_SAME, 0),
    new UnwindRule(UnwindRule.CFA_NONE, 0, UnwindRule.RBP_UNDEFINED, 0),
  };

  private static final long BIAS = 0x10_0000;
  private static final long BY_RSP = BIAS + 0x1800;
  private static final long BY_RBP = BIAS + 0x2800;
  private static final long END = BIAS + 0x3800;
  private static final long UNSUPPORTED = BIAS + 0x4800;
  private static final long LOSES_RBP = BIAS + 0x5800;
  private static final long BY_R12 = BIAS + 0x6800;
  private static final long NOTHING_KNOWN = 0x7fff_0000L;

  private final Map<Long, Long> memory = new TreeMap<>();
  private final long[] frames = new long[8];
  private final StackUnwinder unwinder =
      new StackUnwinder(
          (processAddress, word) -> {
            word[0] = memory.getOrDefault(processAddress, 0L);
            return memory.containsKey(processAddress);
          },
          processAddress ->
              processAddress < NOTHING_KNOWN ? new LoadedTable(table(), BIAS) : LoadedTable.NONE);

  private static UnwindTable table() {
    int[] starts = new int[RULES.length];
    char[] numbers = new char[RULES.length];
    long[] rules = new long[RULES.length];
    for (int i = 0; i < RULES.length; i++) {
      starts[i] = 0x1000 * i;
      numbers[i] = (char) i;
      rules[i] = RULES[i].packed();
    }
    return new UnwindTable(0x1000, starts, numbers, rules);
  }

  private UnwindEnd from(long pc, long fp) {
    return unwinder.unwind(Registers.of(pc, STACK, fp), frames);
  }

  @Test
  void endsWhole() {
    memory.put(STACK + 8, END);
    assertThat(from(BY_RSP, 0)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(unwinder.frames()).isEqualTo(2);
    assertThat(frames).startsWith(BY_RSP, END);
    memory.put(STACK + 8, 0L);
    assertThat(from(BY_RSP, 0)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(from(NOTHING_KNOWN, 0)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(unwinder.frames()).isEqualTo(1);
  }

  /** A return address at the start of a function belongs to the call before it. */
  @Test
  void looksBeforeReturnAddresses() {
    memory.put(STACK + 8, BIAS + 0x4000);
    assertThat(from(BY_RSP, 0)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(from(BIAS + 0x4000, 0)).isEqualTo(UnwindEnd.UNSUPPORTED);
  }

  @Test
  void goesOnByTheFramePointer() {
    memory.put(STACK + 32, STACK + 64);
    memory.put(STACK + 40, BY_RBP);
    memory.put(STACK + 64, 1L);
    memory.put(STACK + 72, END);
    assertThat(from(NOTHING_KNOWN, STACK + 32)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(frames).startsWith(NOTHING_KNOWN, BY_RBP, END);
    assertThat(unwinder.frames()).isEqualTo(3);
  }

  @Test
  void needsAFramePointerThatPointsIntoTheStack() {
    assertThat(from(NOTHING_KNOWN, STACK - 8)).isEqualTo(UnwindEnd.NO_FRAME_POINTER);
    memory.put(STACK, BY_RBP);
    assertThat(from(LOSES_RBP, STACK + 8)).isEqualTo(UnwindEnd.NO_FRAME_POINTER);
    assertThat(unwinder.frames()).isEqualTo(2);
  }

  @Test
  void endsAtUnreadableMemory() {
    assertThat(from(BY_RSP, 0)).isEqualTo(UnwindEnd.UNREADABLE);
    assertThat(from(NOTHING_KNOWN, STACK + 8)).isEqualTo(UnwindEnd.UNREADABLE);
  }

  @Test
  void endsWithoutProgress() {
    assertThat(from(BY_RBP, STACK - 16)).isEqualTo(UnwindEnd.NO_PROGRESS);
    assertThat(from(BY_RBP, -16)).isEqualTo(UnwindEnd.NO_PROGRESS);
  }

  @Test
  void endsAtWhatIsUnsupported() {
    assertThat(from(UNSUPPORTED, 0)).isEqualTo(UnwindEnd.UNSUPPORTED);
    assertThat(from(BY_R12, 0)).isEqualTo(UnwindEnd.UNSUPPORTED);
  }

  /** Whatever the table says: a probe is where nothing has been pushed yet. */
  @Test
  void atAFunctionsEntry() {
    memory.put(STACK, END);
    Registers start = Registers.of(NOTHING_KNOWN, STACK, STACK + 64).atEntry();
    assertThat(unwinder.unwind(start, frames)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(frames).startsWith(NOTHING_KNOWN, END);
    memory.clear();
    assertThat(unwinder.unwind(start, frames)).isEqualTo(UnwindEnd.UNREADABLE);
  }

  @Test
  void usesOtherRegistersOfALeaf() {
    long[] registers = new long[16];
    registers[7] = STACK;
    registers[12] = STACK + 32;
    memory.put(STACK + 32, END);
    Registers start = Registers.all(BY_R12, registers);
    assertThat(unwinder.unwind(start, frames)).isEqualTo(UnwindEnd.WHOLE);
    assertThat(frames).startsWith(BY_R12, END);
  }

  @Test
  void endsWhereThereIsNoRoom() {
    for (int i = 0; i < 100; i++) {
      memory.put(STACK + 8 + 16 * i, BY_RSP);
    }
    assertThat(from(BY_RSP, 0)).isEqualTo(UnwindEnd.DEPTH);
    assertThat(unwinder.frames()).isEqualTo(frames.length);
    assertThat(frames).containsOnly(BY_RSP);
  }
}
