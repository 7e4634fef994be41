package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A program writes records on demand; what is read must be those, in order, whole. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class RingBufferTest {
  private Collection collection;
  private RingBuffer buffer;
  private final List<long[]> records = new ArrayList<>();

  @BeforeEach
  void load() {
    Root.isNeeded();
    collection = Collection.load(TestObjects.spec("ring"));
    buffer = new RingBuffer();
    buffer.add(collection.map("ring"), record -> records.add(record.toArray(JAVA_LONG)));
  }

  @AfterEach
  void close() {
    if (buffer != null) {
      buffer.close();
      collection.close();
    }
  }

  private void run(String program, long... args) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment context = arena.allocate(4 * 8, 8);
      MemorySegment.copy(args, 0, context, JAVA_LONG, 0, args.length);
      assertThat(collection.program(program).run(context)).isZero();
    }
  }

  @Test
  void recordsComeInOrder() {
    run("produce", 1, 100, 5, 8);
    assertThat(buffer.pendingBytes()).isEqualTo(5 * (8 + 24));
    assertThat(buffer.poll(1000)).isEqualTo(5);
    assertThat(records).extracting(r -> r[1]).containsExactly(100L, 101L, 102L, 103L, 104L);
    assertThat(records).allMatch(r -> r.length == 3 && r[0] == 1);
    assertThat(buffer.poll(0)).isZero();
    assertThat(buffer.consume()).isZero();
    assertThat(buffer.pendingBytes()).isZero();
  }

  @Test
  void theRingWrapsAround() {
    long next = 0;
    for (int round = 0; round < 400; round++) {
      int count = 1 + round % 13;
      run("produce", 7, next, count, 8 * (round % 20));
      assertThat(buffer.consume()).isEqualTo(count);
      next += count;
    }
    assertThat(records)
        .extracting(r -> r[1])
        .containsExactlyElementsOf(LongStream.range(0, next).boxed().toList());
    assertThat(next * 40).isGreaterThan(10 * 4096);
    assertThat(collection.variable("lost").get()).isZero();
  }

  @Test
  void discardedRecordsAreLeftOut() {
    run("discard", 0, 10, 9);
    assertThat(buffer.consume()).isEqualTo(6);
    assertThat(records).extracting(r -> r[1]).containsExactly(10L, 12L, 13L, 15L, 16L, 18L);
    assertThat(buffer.pendingBytes()).isZero();
  }

  @Test
  void aFullRingLosesAndGoesOn() {
    for (int i = 0; i < 10; i++) {
      run("produce", 1, 0, 32, 104);
    }
    long lost = collection.variable("lost").get();
    assertThat(lost).isPositive();
    assertThat(buffer.consume()).isEqualTo((int) (320 - lost));
    run("produce", 1, 5, 1, 0);
    assertThat(buffer.consume()).isEqualTo(1);
  }

  @Test
  void twoProducersDoNotDisturbEachOther() throws InterruptedException {
    AtomicInteger running = new AtomicInteger(2);
    List<Thread> producers = new ArrayList<>();
    for (int producer = 0; producer < 2; producer++) {
      int number = producer;
      producers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 500; i++) {
                      run("produce", number, i * 4L, 4, 8 * (i % 5));
                    }
                    running.decrementAndGet();
                  }));
    }
    while (running.get() > 0) {
      buffer.poll(10);
    }
    for (Thread thread : producers) {
      thread.join();
    }
    buffer.consume();
    long lost = collection.variable("lost").get();
    assertThat(records.size() + lost).isEqualTo(4000);
    assertThat(records).isNotEmpty(); // if we got no CPU, all of one producer's may be lost
    for (int producer = 0; producer < 2; producer++) {
      long number = producer;
      List<Long> order = records.stream().filter(r -> r[0] == number).map(r -> r[1]).toList();
      assertThat(order).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void otherDescriptorsAndRingsAreWaitedForToo() {
    List<Long> others = new ArrayList<>();
    buffer.add(collection.map("second"), record -> others.add(record.get(JAVA_LONG, 0)));
    AtomicInteger woken = new AtomicInteger();
    try (Fd event = SystemCalls.eventfd();
        Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocateFrom(JAVA_LONG, 1);
      buffer.watch(
          event.number(),
          () -> {
            woken.incrementAndGet();
            SystemCalls.tryRead(event.number(), one);
          });
      SystemCalls.tryWrite(event.number(), one);
      run("other", 0, 55);
      int polls = 0;
      while ((others.isEmpty() || woken.get() == 0) && polls++ < 10) {
        buffer.poll(100);
      }
      assertThat(woken).hasValue(1);
      assertThat(others).containsExactly(55L);
      buffer.unwatch(event.number());
    }
  }

  @Test
  void aReaderThatThrowsLosesOneRecord() {
    try (RingBuffer throwing = new RingBuffer()) {
      throwing.add(
          collection.map("second"),
          record -> {
            throw new IllegalStateException("no");
          });
      run("other", 0, 1);
      run("other", 0, 2);
      assertThatThrownBy(throwing::consume).isInstanceOf(IllegalStateException.class);
      assertThat(throwing.pendingBytes()).isEqualTo(16);
    }
    assertThatThrownBy(() -> buffer.add(collection.map(".bss"), record -> {}))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("not a ring buffer");
  }

  @Test
  void whatIsRefusedComesAgain() {
    List<Long> taken = new ArrayList<>();
    long[] limit = {102};
    try (RingBuffer choosy = new RingBuffer()) {
      choosy.addWhile(
          collection.map("ring"),
          record -> {
            long number = record.get(JAVA_LONG, 8);
            if (number > limit[0]) {
              return false;
            }
            return taken.add(number);
          });
      run("produce", 1, 100, 5, 8);
      assertThat(choosy.poll(1000)).isEqualTo(3);
      assertThat(choosy.poll(0)).as("nothing was written since").isZero();
      assertThat(choosy.consume()).isZero();
      assertThat(choosy.pendingBytes()).isEqualTo(2 * (8 + 24));
      limit[0] = 104;
      assertThat(choosy.consume()).isEqualTo(2);
      assertThat(taken).containsExactly(100L, 101L, 102L, 103L, 104L);
    }
  }
}
