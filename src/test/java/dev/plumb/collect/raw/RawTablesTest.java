package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.kernel.Records;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessTable;
import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The tables that samples add up in while recording. */
class RawTablesTest {
  private static final RawStacks.Limits ROOM = RawStacks.Limits.ofHeap(160 << 20);

  private static final BackingFile LIBRARY = BackingFile.ofLost("/lib/libx.so");

  private final ProcessTable table = new ProcessTable();
  private final RawProcesses processes = new RawProcesses(table::imageAt, image -> {});

  @Test
  void aPlaceIsThereOnce() {
    RawPlaces places = new RawPlaces();
    int kernel = places.kernel(0xffff_ffff_8100_0000L, false);
    int user = places.user(3, 0x5000, false, 5);
    assertThat(places.user(3, 0x5000, true, 5)).as("as a return address").isNotEqualTo(user);
    assertThat(places.user(4, 0x5000, false, 5)).as("in another region").isNotEqualTo(user);
    assertThat(places.user(3, 0x5000, false, 5)).as("the same later").isEqualTo(user);
    assertThat(places.isKernel(kernel)).isTrue();
    assertThat(places.isKernel(user)).isFalse();
    assertThat(places.region(user)).isEqualTo(3);
    assertThat(places.time(user)).isEqualTo(5);
    assertThat(places.isReturn(user)).isFalse();
    assertThat(places.offset(kernel)).isEqualTo(0xffff_ffff_8100_0000L);
    assertThat(places.size()).as("and the two of nothing known").isEqualTo(6);
  }

  @Test
  void placesStayTheSameWhileTheTableGrows() {
    RawPlaces places = new RawPlaces();
    int[] ids =
        IntStream.range(0, 100_000).map(i -> places.user(i % 7, i * 16L, i % 2 == 0, 5)).toArray();
    assertThat(places.size()).isEqualTo(100_002);
    for (int i = 0; i < ids.length; i++) {
      assertThat(places.user(i % 7, i * 16L, i % 2 == 0, 5)).isEqualTo(ids[i]);
      assertThat(places.offset(ids[i])).isEqualTo(i * 16L);
      assertThat(places.region(ids[i])).isEqualTo(i % 7);
    }
  }

  @Test
  void aStackIsItsRecord() {
    RawStacks stacks = stacksOf(7);
    stacks.add(record(42, 7, 1, 2, StackEnd.NO_FRAME_POINTER, 0xa1, 0xb1, 0xb2));
    int stack = stacks.stack(stacks.find(42));
    assertThat(addresses(stacks, 42)).containsExactly(0xa1, 0xb1, 0xb2);
    assertThat(end(stacks, 42)).isEqualTo(StackEnd.NO_FRAME_POINTER);
    RawPlaces places = stacks.places();
    assertThat(places.isKernel(stacks.place(stack))).isTrue();
    int user = stacks.caller(stack);
    assertThat(places.isReturn(stacks.place(user))).as("where user code was").isFalse();
    assertThat(places.isReturn(stacks.place(stacks.caller(user)))).isTrue();
    assertThat(processes.pid(stacks.process(stacks.find(42)))).isEqualTo(7);
    assertThat(stacks.find(43)).isEqualTo(-1);
  }

  /** The kernel sends a stack again when two share a slot of its table. */
  @Test
  void aStackThatComesTwiceIsKeptOnce() {
    RawStacks stacks = stacksOf(7);
    stacks.add(record(1, 7, 1, 1, StackEnd.WHOLE, 0xa1, 0xb1));
    stacks.add(record(2, 7, 0, 2, StackEnd.WHOLE, 0xc1, 0xc2));
    int size = stacks.size();
    stacks.add(record(1, 7, 1, 1, StackEnd.WHOLE, 0xa1, 0xb1));
    assertThat(stacks.size()).isEqualTo(size);
    assertThat(addresses(stacks, 1)).containsExactly(0xa1, 0xb1);
    assertThat(addresses(stacks, 2)).containsExactly(0xc1, 0xc2);
  }

  /** A thousand processes of one program need no more than one, wherever it was mapped. */
  @Test
  void processesShareTheirStacks() {
    RawStacks stacks = new RawStacks(processes, ROOM);
    map(7, 0x10_0000, LIBRARY);
    map(8, 0x70_0000, LIBRARY);
    stacks.add(record(1, 7, 0, 2, StackEnd.WHOLE, 0x10_00a1, 0x10_00b1));
    stacks.add(record(2, 8, 0, 2, StackEnd.WHOLE, 0x70_00a1, 0x70_00b1));
    assertThat(stacks.stack(stacks.find(1))).isEqualTo(stacks.stack(stacks.find(2)));
    assertThat(stacks.process(stacks.find(1))).isNotEqualTo(stacks.process(stacks.find(2)));
    assertThat(addresses(stacks, 2)).containsExactly(0x10_00a1, 0x10_00b1);
  }

  @Test
  void memoryWithoutAFileIsEachProcesssOwn() {
    RawStacks stacks = new RawStacks(processes, ROOM);
    BackingFile memory = BackingFile.anonymous("//anon");
    map(7, 0x10_0000, memory);
    map(8, 0x10_0000, memory);
    stacks.add(record(1, 7, 0, 1, StackEnd.WHOLE, 0x10_00a1));
    stacks.add(record(2, 8, 0, 1, StackEnd.WHOLE, 0x10_00a1));
    assertThat(stacks.stack(stacks.find(1))).isNotEqualTo(stacks.stack(stacks.find(2)));
  }

  /** A return address that lies nowhere is no frame, and those behind it are none either. */
  @Test
  void aStackEndsWhereNothingIsMapped() {
    RawStacks stacks = stacksOf(7);
    stacks.add(record(1, 7, 1, 4, StackEnd.WHOLE, 0xa1, 0xb1, 0xb2, 0xdead_0000L, 0xb4));
    assertThat(addresses(stacks, 1)).containsExactly(0xa1, 0xb1, 0xb2);
    assertThat(end(stacks, 1)).isEqualTo(StackEnd.UNMAPPED);
    stacks.add(record(2, 7, 0, 1, StackEnd.WHOLE, 0xdead_0000L));
    assertThat(stacks.place(stacks.stack(stacks.find(2)))).isEqualTo(RawPlaces.UNKNOWN);
    stacks.add(record(3, 9, 0, 1, StackEnd.WHOLE, 0xa1));
    assertThat(stacks.place(stacks.stack(stacks.find(3)))).isEqualTo(RawPlaces.UNKNOWN_PROCESS);
  }

  @Test
  void aFullTableKeepsLeavesAndSaysSo() {
    map(7, 0, LIBRARY);
    RawStacks stacks =
        new RawStacks(processes, new RawStacks.Limits(1000, 11 + StackEnd.values().length));
    stacks.add(
        record(1, 7, 3, 6, StackEnd.WHOLE, 0xa1, 0xa2, 0xa3, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6));
    stacks.add(record(2, 7, 3, 3, StackEnd.WHOLE, 0xc1, 0xc2, 0xc3, 0xb1, 0xd2, 0xd3));
    assertThat(addresses(stacks, 1)).hasSize(9);
    assertThat(end(stacks, 1)).isEqualTo(StackEnd.WHOLE);
    assertThat(addresses(stacks, 2))
        .as("the kernel's leaf and the user's")
        .containsExactly(0xc1, 0xb1);
    assertThat(end(stacks, 2)).isEqualTo(StackEnd.TOO_MANY);
  }

  /** Processes come and go without end: so do their stacks, and memory must not. */
  @Test
  void inTheEndStacksAreRefusedAndCounted() {
    RawStacks stacks = new RawStacks(processes, new RawStacks.Limits(3, 1000));
    for (int i = 1; i <= 10; i++) {
      map(i, 0, LIBRARY);
      stacks.add(record(i, i, 0, 1, StackEnd.WHOLE, i));
    }
    assertThat(stacks.refused()).isEqualTo(7);
    assertThat(processes.size()).isEqualTo(3);
    assertThat(stacks.find(4)).as("its samples will be counted as lost").isEqualTo(-1);
    assertThat(addresses(stacks, 3)).containsExactly(3);
  }

  @Test
  void manyDeepStacks() {
    RawStacks stacks = new RawStacks(processes, ROOM);
    IntStream.range(0, 50).forEach(pid -> map(pid, 0, LIBRARY));
    long[] deep = LongStream.range(0, 1151).toArray();
    for (int i = 0; i < 3000; i++) {
      deep[0] = i;
      stacks.add(record(i + 1, i % 50, 127, 1024, StackEnd.WHOLE, deep));
    }
    assertThat(stacks.size()).as("they differ in their leaves only").isLessThan(5000);
    for (int i : new int[] {0, 1, 1024, 2999}) {
      assertThat(addresses(stacks, i + 1)).hasSize(1151).startsWith(i, 1, 2).endsWith(1149, 1150);
    }
  }

  /** What is met again stays what it is, with another number; the rest is gone. */
  @Test
  void whatIsNotMetIsForgotten() {
    RawStacks stacks = new RawStacks(processes, ROOM);
    BackingFile memory = BackingFile.anonymous("//anon");
    map(7, 0x10_0000, LIBRARY);
    map(8, 0x70_0000, LIBRARY);
    map(9, 0x10_0000, memory);
    stacks.add(record(1, 7, 1, 2, StackEnd.WHOLE, 0x10_00a1, 0x10_00b1, 0xffff_0001));
    stacks.add(record(2, 8, 0, 2, StackEnd.DEPTH, 0x70_00a1, 0x70_00c1));
    stacks.add(record(3, 9, 0, 1, StackEnd.WHOLE, 0x10_00a1));
    stacks.forgetUnmet();
    assertThat(stacks.ids()).as("all came in this part").isEqualTo(3);
    stacks.beginPart();
    stacks.find(2);
    stacks.find(3);
    stacks.forgetUnmet();
    assertThat(stacks.find(1)).isNegative();
    assertThat(addresses(stacks, 2)).containsExactly(0x70_00a1 - 0x60_0000, 0x70_00c1 - 0x60_0000);
    assertThat(end(stacks, 2)).isEqualTo(StackEnd.DEPTH);
    assertThat(addresses(stacks, 3)).containsExactly(0x10_00a1);
    assertThat(processes.pid(stacks.process(stacks.find(3)))).isEqualTo(9);
    assertThat(processes.size()).isEqualTo(2);
    stacks.add(record(1, 7, 0, 1, StackEnd.WHOLE, 0x10_00b1));
    assertThat(addresses(stacks, 1)).containsExactly(0x10_00b1);
  }

  @Test
  void aProcessIsLookedUpOnce() {
    StringBuilder asked = new StringBuilder();
    RawProcesses found =
        new RawProcesses(
            (pid, time) -> {
              asked.append(pid).append('@').append(time).append(' ');
              return Optional.empty();
            },
            image -> {});
    int first = found.index(100, 7, 10);
    int second = found.index(200, 8, 20);
    assertThat(found.index(100, 7, 30)).isEqualTo(first);
    assertThat(asked).hasToString("7@10 8@20 ");
    assertThat(found.image(second)).isEmpty();
    assertThat(found.size()).isEqualTo(2);
  }

  @Test
  void threadsAreAProcessAndATid() {
    RawThreads threads = new RawThreads();
    int one = threads.index(3, 500);
    assertThat(threads.index(4, 500)).isNotEqualTo(one);
    assertThat(threads.index(3, 500)).isEqualTo(one);
    assertThat(threads.process(one)).isEqualTo(3);
    assertThat(threads.tid(one)).isEqualTo(500);
  }

  private RawStacks stacksOf(int pid) {
    map(pid, 0, LIBRARY);
    return new RawStacks(processes, ROOM);
  }

  private void map(int pid, long start, BackingFile file) {
    table.execed(pid, "test", 0);
    table.mapped(pid, new Mapping(start, start + 0x1_0000, 0, file), 0);
  }

  /** Leaf first, in the process that was seen first with them. */
  private static long[] addresses(RawStacks stacks, long id) {
    LongStream.Builder addresses = LongStream.builder();
    RawPlaces places = stacks.places();
    for (int at = stacks.stack(stacks.find(id)); !stacks.isEmpty(at); at = stacks.caller(at)) {
      int place = stacks.place(at);
      long start =
          places.isKernel(place) ? 0 : stacks.regions().mapping(places.region(place)).start();
      addresses.add(start + places.offset(place));
    }
    return addresses.build().toArray();
  }

  private static StackEnd end(RawStacks stacks, long id) {
    int at = stacks.stack(stacks.find(id));
    while (!stacks.isEmpty(at)) {
      at = stacks.caller(at);
    }
    return stacks.end(at);
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
