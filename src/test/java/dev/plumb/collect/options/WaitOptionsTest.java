package dev.plumb.collect.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitOptionsTest {
  /** States as the kernel writes them to task_struct: include/linux/sched.h. */
  @ParameterizedTest
  @CsvSource({
    "0x1, S", // TASK_INTERRUPTIBLE
    "0x2, D", // TASK_UNINTERRUPTIBLE
    "0x102, D", // TASK_KILLABLE
    "0x104, T", // TASK_STOPPED
    "0x8, T", // __TASK_TRACED
    "0x402, I", // TASK_IDLE
    "0x80000000, R", // ours: preempted
    "0x2001, S", // TASK_FREEZABLE, since Linux 6.1
    "0x8000, ?", // TASK_FROZEN
  })
  void everyStateHasItsLetterAndIsWantedByItOnly(String state, String letter) {
    int bits = Integer.decode(state.equals("0x80000000") ? "-0x80000000" : state);
    assertThat(WaitOptions.letter(bits)).isEqualTo(letter);
    for (String other : new String[] {"S", "D", "T", "I", "R"}) {
      assertThat(options(other).wants(bits)).as(other).isEqualTo(other.equals(letter));
      if (other.equals(letter)) {
        assertThat(options(other).mask() & bits).as("the kernel side lets it through").isNotZero();
      }
    }
    assertThat(WaitOptions.ALL.wants(bits)).isTrue();
    assertThat(WaitOptions.ALL.mask() & bits).isNotZero();
  }

  @Test
  void lettersAddUp() {
    assertThat(options("SD").mask()).isEqualTo(options("S").mask() | options("D").mask());
    assertThat(options("SD").wants(1)).isTrue();
    assertThat(options("SD").wants(2)).isTrue();
    assertThat(options("SD").wants(0x402)).isFalse();
  }

  @Test
  void anUnknownLetterSaysWhichThereAre() {
    assertThatThrownBy(() -> options("SQ"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown state 'Q'; use the letters S, D, T, I, R");
  }

  private static WaitOptions options(String states) {
    return new WaitOptions(0, Long.MAX_VALUE, states, 0);
  }
}
