package dev.plumb.collect;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The tables that samples add up in while recording. */
class RawTablesTest {
  private static final RawStacks.Limits ROOM = RawStacks.Limits.ofHeap(160 << 20);

  private final RawFrames frames = new RawFrames();
  private final RawProcesses processes = new RawProcesses();

  @Test
  void longIndexNumbersInTheOrderOfComing() {
    LongIndex index = new LongIndex();
    Map<Long, Integer> expected = new HashMap<>();
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      // Few bits, so that many come again; both signs, and 0.
      long key = (random.nextInt(50_000) - 25_000L) << random.nextInt(3) * 16;
      Integer known = expected.putIfAbsent(key, expected.size());
      assertThat(index.add(key)).isEqualTo(known == null ? expected.size() - 1 : known);
    }
    assertThat(index.size()).isEqualTo(expected.size()).isGreaterThan(20_000);
    expected.forEach(
        (key, number) -> {
          assertThat(index.find(key)).isEqualTo(number);
          assertThat(index.key(number)).isEqualTo(key);
        });
    assertThat(index.find(Long.MAX_VALUE)).isEqualTo(-1);
  }

  @Test
  void framesAreOneAPlace() {
    int kernel = frames.kernel(0xffff_ffff_8100_0000L, false);
    int user = frames.user(3, 0x5000, false, 77);
    assertThat(frames.user(3, 0x5000, true, 78)).as("as a return address").isNotEqualTo(user);
    assertThat(frames.user(4, 0x5000, false, 79)).as("in another process").isNotEqualTo(user);
    assertThat(frames.user(3, 0x5000, false, 999)).as("the same later").isEqualTo(user);
    assertThat(frames.firstSeen(user)).isEqualTo(77);
    assertThat(frames.isKernel(kernel)).isTrue();
    assertThat(frames.isKernel(user)).isFalse();
    assertThat(frames.process(user)).isEqualTo(3);
    assertThat(frames.isReturn(user)).isFalse();
    assertThat(frames.address(kernel)).isEqualTo(0xffff_ffff_8100_0000L);
    assertThat(frames.size()).isEqualTo(4);
  }

  @Test
  void framesStayTheSameWhileTheTableGrows() {
    int[] ids =
        IntStream.range(0, 100_000).map(i -> frames.user(i % 7, i * 16L, i % 2 == 0, i)).toArray();
    assertThat(frames.size()).isEqualTo(100_000);
    for (int i = 0; i < ids.length; i++) {
      assertThat(frames.user(i % 7, i * 16L, i % 2 == 0, 0)).isEqualTo(ids[i]);
      assertThat(frames.address(ids[i])).isEqualTo(i * 16L);
    }
    assertThat(frames.size()).isEqualTo(100_000);
  }

  @Test
  void aStackIsItsRecord() {
    RawStacks stacks = new RawStacks(frames, processes, ROOM);
    stacks.add(record(42, 7, 1, 2, StackEnd.NO_FRAME_POINTER, 0xa1, 0xb1, 0xb2));
    int stack = stacks.find(42);
    assertThat(stack).isZero();
    assertThat(stacks.depth(stack)).isEqualTo(3);
    assertThat(stacks.kernelDepth(stack)).isEqualTo(1);
    assertThat(stacks.end(stack)).isEqualTo(StackEnd.NO_FRAME_POINTER);
    assertThat(addresses(stacks, stack)).containsExactly(0xa1, 0xb1, 0xb2);
    assertThat(frames.isKernel(stacks.frame(stack, 0))).isTrue();
    assertThat(frames.isReturn(stacks.frame(stack, 1))).as("where user code was").isFalse();
    assertThat(frames.isReturn(stacks.frame(stack, 2))).isTrue();
    assertThat(processes.pid(stacks.process(stack))).isEqualTo(7);
    assertThat(stacks.find(43)).isEqualTo(-1);
  }

  /** The kernel sends a stack again when two share a slot of its table. */
  @Test
  void aStackThatComesTwiceIsKeptOnce() {
    RawStacks stacks = new RawStacks(frames, processes, ROOM);
    stacks.add(record(1, 7, 1, 1, StackEnd.WHOLE, 0xa1, 0xb1));
    stacks.add(record(2, 7, 0, 2, StackEnd.WHOLE, 0xc1, 0xc2));
    stacks.add(record(1, 7, 1, 1, StackEnd.WHOLE, 0xa1, 0xb1));
    assertThat(stacks.size()).isEqualTo(2);
    assertThat(addresses(stacks, 0)).containsExactly(0xa1, 0xb1);
    assertThat(addresses(stacks, 1)).containsExactly(0xc1, 0xc2);
  }

  @Test
  void aFullTableKeepsLeavesAndSaysSo() {
    RawStacks stacks = new RawStacks(frames, processes, new RawStacks.Limits(10, 1000, 1000));
    stacks.add(record(1, 7, 2, 3, StackEnd.WHOLE, 0xa1, 0xa2, 0xb1, 0xb2, 0xb3));
    stacks.add(record(2, 7, 3, 3, StackEnd.WHOLE, 0xc1, 0xc2, 0xc3, 0xd1, 0xd2, 0xd3));
    stacks.add(record(3, 7, 0, 3, StackEnd.WHOLE, 0xe1, 0xe2, 0xe3));
    stacks.add(record(4, 7, 0, 9, StackEnd.WHOLE, 0xf1, 0xf2, 0xf3, 4, 5, 6, 7, 8, 9));
    assertThat(addresses(stacks, 0)).containsExactly(0xa1, 0xa2, 0xb1, 0xb2, 0xb3);
    assertThat(stacks.end(0)).isEqualTo(StackEnd.WHOLE);
    assertThat(addresses(stacks, 1))
        .as("the kernel's leaf and the user's")
        .containsExactly(0xc1, 0xd1);
    assertThat(stacks.kernelDepth(1)).isEqualTo(1);
    assertThat(stacks.end(1)).isEqualTo(StackEnd.DEPTH);
    assertThat(addresses(stacks, 2)).as("still fits").containsExactly(0xe1, 0xe2, 0xe3);
    assertThat(addresses(stacks, 3)).containsExactly(0xf1);
    assertThat(stacks.end(3)).isEqualTo(StackEnd.DEPTH);
  }

  @Test
  void tooManyFramesCutStacksToo() {
    RawStacks stacks = new RawStacks(frames, processes, new RawStacks.Limits(1000, 5, 1000));
    stacks.add(record(1, 7, 0, 3, StackEnd.WHOLE, 0xa1, 0xa2, 0xa3));
    stacks.add(record(2, 7, 0, 3, StackEnd.WHOLE, 0xb1, 0xb2, 0xb3));
    assertThat(addresses(stacks, 0)).containsExactly(0xa1, 0xa2, 0xa3);
    assertThat(addresses(stacks, 1)).containsExactly(0xb1);
    assertThat(stacks.end(1)).isEqualTo(StackEnd.DEPTH);
  }

  /** Processes come and go without end: so do their stacks, and memory must not. */
  @Test
  void inTheEndStacksAreRefusedAndCounted() {
    RawStacks stacks = new RawStacks(frames, processes, new RawStacks.Limits(1000, 1000, 3));
    for (int i = 1; i <= 10; i++) {
      stacks.add(record(i, i, 0, 1, StackEnd.WHOLE, i));
    }
    assertThat(stacks.size()).isEqualTo(3);
    assertThat(stacks.refused()).isEqualTo(7);
    assertThat(processes.size()).isEqualTo(3);
    assertThat(stacks.find(4)).as("its samples will be counted as lost").isEqualTo(-1);
    assertThat(addresses(stacks, stacks.find(3))).containsExactly(3);
  }

  @Test
  void whatIsGivenBackIsEmpty() {
    RawStacks stacks = new RawStacks(frames, processes, ROOM);
    stacks.add(record(1, 7, 0, 1, StackEnd.WHOLE, 0xa1));
    stacks.clear();
    frames.clear();
    processes.clear();
    assertThat(stacks.size()).isZero();
    assertThat(frames.size()).isZero();
    assertThat(processes.size()).isZero();
  }

  @Test
  void manyDeepStacks() {
    RawStacks stacks = new RawStacks(frames, processes, ROOM);
    long[] deep = LongStream.range(0, 1151).toArray();
    for (int i = 0; i < 3000; i++) {
      deep[0] = i;
      stacks.add(record(i + 1, i % 50, 127, 1024, StackEnd.WHOLE, deep));
    }
    assertThat(stacks.size()).isEqualTo(3000);
    for (int i : new int[] {0, 1, 1024, 2999}) {
      int stack = stacks.find(i + 1);
      assertThat(stacks.depth(stack)).isEqualTo(1151);
      assertThat(frames.address(stacks.frame(stack, 0))).isEqualTo(i);
      assertThat(frames.address(stacks.frame(stack, 1150))).isEqualTo(1150);
    }
  }

  @Test
  void processesAreFoundOnceWhatCameBeforeThemIsKnown() {
    int first = processes.index(100, 7, 10);
    int second = processes.index(200, 8, 20);
    assertThat(processes.index(100, 7, 30)).isEqualTo(first);
    StringBuilder asked = new StringBuilder();
    RawProcesses.Finder finder =
        (pid, time) -> {
          asked.append(pid).append('@').append(time).append(' ');
          return Optional.empty();
        };
    processes.settle(finder, 15);
    assertThat(asked).hasToString("7@10 ");
    processes.settle(finder, 25);
    processes.settle(finder, 25);
    assertThat(asked).as("each once").hasToString("7@10 8@20 ");
    assertThat(processes.image(second)).isEmpty();
    assertThat(processes.size()).isEqualTo(2);
  }

  @Test
  void threadsAreAProcessAndATid() {
    RawThreads threads = new RawThreads();
    int one = threads.index(3, 500);
    assertThat(threads.index(4, 500)).isNotEqualTo(one);
    assertThat(threads.index(3, 500)).isEqualTo(one);
    assertThat(threads.process(one)).isEqualTo(3);
    assertThat(threads.tid(one)).isEqualTo(500);
    assertThat(threads.firstTime(1000)).isTrue();
    assertThat(threads.firstTime(1000)).isFalse();
  }

  private long[] addresses(RawStacks stacks, int stack) {
    return IntStream.range(0, stacks.depth(stack))
        .mapToLong(i -> frames.address(stacks.frame(stack, i)))
        .toArray();
  }

  /** A {@code stack_record} as the kernel sends it. */
  private static MemorySegment record(
      long id, int tgid, int kernel, int user, StackEnd end, long... addresses) {
    MemorySegment record =
        Arena.ofAuto().allocate(Records.STACK_ADDRESSES_OFFSET + 8L * addresses.length, 8);
    record.set(JAVA_INT, Records.KIND_OFFSET, Records.STACK);
    record.set(JAVA_INT, Records.STACK_TGID_OFFSET, tgid);
    record.set(JAVA_LONG, Records.STACK_ID_OFFSET, id);
    record.set(JAVA_LONG, Records.STACK_PROCESS_OFFSET, tgid * 1000L);
    record.set(JAVA_LONG, Records.STACK_TIME_OFFSET, id * 10);
    record.set(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET, kernel);
    record.set(JAVA_SHORT, Records.STACK_USER_FRAMES_OFFSET, (short) user);
    record.set(JAVA_BYTE, Records.STACK_END_OFFSET, (byte) end.ordinal());
    // Given as a stack is read, leaf first; in the record the user's part comes first.
    for (int i = 0; i < addresses.length; i++) {
      int place = i < kernel ? user + i : i - kernel;
      record.set(JAVA_LONG, Records.STACK_ADDRESSES_OFFSET + 8L * place, addresses[i]);
    }
    return record;
  }
}
