package dev.plumb.collect.stop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class StackCopyTest {
  private static final long SP = 0x7fff_0000_1000L;
  private static final long OTHER = 0x7ff0_0000_2000L;

  @Test
  void readsBothPartsAndNothingElse() {
    StackCopy copy =
        new StackCopy(SP, new long[] {1, 2, 3}, OTHER, new long[] {0x1122334455667788L, 0x99});
    assertThat(read(copy, SP)).isEqualTo(1);
    assertThat(read(copy, SP + 16)).isEqualTo(3);
    assertThat(read(copy, OTHER)).isEqualTo(0x1122334455667788L);
    assertThat(read(copy, OTHER + 1)).isEqualTo(0x9911223344556677L);
    assertThat(copy.readBeyond()).isFalse();
    for (long outside : new long[] {SP - 1, SP + 17, SP + 24, OTHER - 8, OTHER + 9, 0, -8}) {
      assertThat(copy.read(outside, new long[1])).isFalse();
    }
    assertThat(copy.readBeyond()).isTrue();
    assertThat(StackCopy.NONE.read(0, new long[1])).isFalse();
  }

  /** As the kernel writes it: uc_flags, uc_link, ss_sp, ss_flags, ss_size, r8 … rsp. */
  @Test
  void findsWhereASignalInterrupted() {
    long[] words = new long[100];
    words[30] = 7;
    words[32] = SP - 0x800;
    words[34] = 0x10000;
    words[50] = OTHER;
    assertThat(StackCopy.interruptedSp(words, SP)).isEqualTo(OTHER);
    assertThat(StackCopy.interruptedSp(words, SP + 0x20000)).as("another stack").isZero();
    assertThat(StackCopy.interruptedSp(words, SP - 0x1000)).as("another stack").isZero();
    words[31] = 1;
    assertThat(StackCopy.interruptedSp(words, SP)).as("no ucontext").isZero();
  }

  @Test
  void anyStackIsSearchedToItsEnd() {
    Random random = new Random(3);
    for (int size = 0; size < 200; size++) {
      long[] words = random.longs(size).map(w -> w & (w >> 3)).toArray();
      StackCopy.interruptedSp(words, random.nextLong());
      assertThat(StackCopy.interruptedSp(new long[size], SP)).isZero();
    }
  }

  private static long read(StackCopy copy, long processAddress) {
    long[] word = new long[1];
    assertThat(copy.read(processAddress, word)).isTrue();
    return word[0];
  }
}
