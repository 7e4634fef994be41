package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Single and batch calls on maps of several kinds. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class BpfMapTest {
  private Arena arena;
  private Collection collection;
  private BpfMap hash;

  @BeforeEach
  void load() {
    Root.isNeeded();
    arena = Arena.ofConfined();
    collection = Collection.load(TestObjects.spec("mapuse"));
    hash = collection.map("hash");
  }

  @AfterEach
  void close() {
    collection.close();
    arena.close();
  }

  private MemorySegment number(long value) {
    return arena.allocateFrom(JAVA_LONG, value);
  }

  private void fill(int count) {
    for (int i = 0; i < count; i++) {
      hash.update(number(i), number(i * 10L), BpfMap.NO_EXIST);
    }
  }

  private static Map<Long, Long> expected(int count) {
    Map<Long, Long> all = new TreeMap<>();
    for (long i = 0; i < count; i++) {
      all.put(i, i * 10);
    }
    return all;
  }

  @Test
  void singleCalls() {
    MemorySegment value = arena.allocate(JAVA_LONG);
    assertThat(hash.lookup(number(1), value)).isFalse();
    hash.update(number(1), number(2), BpfMap.ANY);
    assertThat(hash.lookup(number(1), value)).isTrue();
    assertThat(value.get(JAVA_LONG, 0)).isEqualTo(2);
    assertThatThrownBy(() -> hash.update(number(1), number(3), BpfMap.NO_EXIST))
        .isInstanceOf(SyscallException.class)
        .hasMessageContaining("MAP_UPDATE_ELEM, map hash")
        .hasMessageContaining("EEXIST");
    assertThat(hash.delete(number(1))).isTrue();
    assertThat(hash.delete(number(1))).isFalse();
    MemorySegment key = arena.allocate(JAVA_LONG);
    assertThat(hash.nextKey(MemorySegment.NULL, key)).isFalse();
    hash.update(number(8), number(9), BpfMap.ANY);
    assertThat(hash.nextKey(MemorySegment.NULL, key)).isTrue();
    assertThat(key.get(JAVA_LONG, 0)).isEqualTo(8);
    assertThat(hash.nextKey(key, key)).isFalse();
    assertThat(hash.lookupAndDelete(number(8), value)).isTrue();
    assertThat(hash.lookup(number(8), value)).isFalse();
    assertThatThrownBy(() -> hash.lookup(arena.allocate(4), value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key is 8 bytes");
  }

  @Test
  void allEntriesComeInBatches() {
    fill(3000);
    Map<Long, Long> seen = new TreeMap<>();
    hash.forEach((key, value) -> seen.put(key.get(JAVA_LONG, 0), value.get(JAVA_LONG, 0)));
    assertThat(seen).isEqualTo(expected(3000));
    seen.clear();
    hash.drain((key, value) -> seen.put(key.get(JAVA_LONG, 0), value.get(JAVA_LONG, 0)));
    assertThat(seen).isEqualTo(expected(3000));
    hash.forEach((key, value) -> seen.put(-1L, -1L));
    assertThat(seen).doesNotContainKey(-1L);
  }

  @Test
  void callsOfOneEntryDoTheSame() {
    fill(300);
    for (boolean delete : new boolean[] {false, true}) {
      Map<Long, Long> seen = new TreeMap<>();
      MapCursor cursor = new MapCursor();
      MemorySegment keys = arena.allocate(8 * 64, 8);
      MemorySegment values = arena.allocate(8 * 64, 8);
      while (!cursor.isFinished()) {
        int count = MapBatch.singly(hash, cursor, keys, values, 64, delete);
        for (int i = 0; i < count; i++) {
          seen.put(keys.getAtIndex(JAVA_LONG, i), values.getAtIndex(JAVA_LONG, i));
        }
      }
      assertThat(seen).isEqualTo(expected(300));
    }
    assertThat(hash.nextKey(MemorySegment.NULL, arena.allocate(JAVA_LONG))).isFalse();
  }

  @Test
  void batchesInPieces() {
    fill(1000);
    Map<Long, Long> seen = new TreeMap<>();
    MapCursor cursor = new MapCursor();
    MemorySegment keys = arena.allocate(8 * 100, 8);
    MemorySegment values = arena.allocate(8 * 100, 8);
    int calls = 0;
    while (!cursor.isFinished()) {
      int count = hash.lookupAndDeleteBatch(cursor, keys, values, 100);
      for (int i = 0; i < count; i++) {
        seen.put(keys.getAtIndex(JAVA_LONG, i), values.getAtIndex(JAVA_LONG, i));
      }
      calls++;
    }
    assertThat(seen).isEqualTo(expected(1000));
    assertThat(calls).isGreaterThanOrEqualTo(10);
    assertThat(hash.lookupBatch(cursor, keys, values, 100)).isZero();
    assertThatThrownBy(() -> hash.lookupBatch(new MapCursor(), keys, values, 101))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void valuesOfAllCpus() {
    BpfMap percpu = collection.map("percpu");
    assertThat(percpu.valueSize()).isEqualTo(12);
    assertThat(percpu.perCpuStride()).isEqualTo(16);
    assertThat(percpu.valueStride()).isEqualTo(16 * Cpus.possibleCount());
    MemorySegment value = arena.allocate(percpu.valueStride(), 8);
    for (int key = 0; key < 50; key++) {
      for (int cpu = 0; cpu < Cpus.possibleCount(); cpu++) {
        value.set(JAVA_INT, 16L * cpu + 8, key + 1000 * cpu);
      }
      percpu.update(arena.allocateFrom(JAVA_INT, key), value, BpfMap.ANY);
    }
    int[] count = new int[1];
    percpu.drain(
        (key, values) -> {
          count[0]++;
          for (int cpu = 0; cpu < Cpus.possibleCount(); cpu++) {
            assertThat(values.get(JAVA_INT, 16L * cpu + 8))
                .isEqualTo(key.get(JAVA_INT, 0) + 1000 * cpu);
          }
        });
    assertThat(count[0]).isEqualTo(50);
  }

  @Test
  void arraysAndQueues() {
    BpfMap array = collection.map("array");
    array.update(arena.allocateFrom(JAVA_INT, 299), number(5), BpfMap.ANY);
    long[] sums = new long[2];
    array.forEach(
        (key, value) -> {
          sums[0]++;
          sums[1] += value.get(JAVA_LONG, 0);
        });
    assertThat(sums).containsExactly(300, 5);
    BpfMap queue = collection.map("queue");
    queue.update(MemorySegment.NULL, number(3), BpfMap.ANY);
    queue.update(MemorySegment.NULL, number(4), BpfMap.ANY);
    MemorySegment value = arena.allocate(JAVA_LONG);
    assertThat(queue.lookupAndDelete(MemorySegment.NULL, value)).isTrue();
    assertThat(value.get(JAVA_LONG, 0)).isEqualTo(3);
    assertThat(queue.lookupAndDelete(MemorySegment.NULL, value)).isTrue();
    assertThat(queue.lookupAndDelete(MemorySegment.NULL, value)).isFalse();
  }

  @Test
  void mapsCanBeShared() {
    LoadOptions sharing = LoadOptions.defaults().sharing(Map.of("hash", hash));
    try (Collection other = Collection.load(TestObjects.spec("mapuse"), sharing)) {
      other.map("hash").update(number(6), number(7), BpfMap.ANY);
    }
    MemorySegment value = arena.allocate(JAVA_LONG);
    assertThat(hash.lookup(number(6), value)).isTrue();
    assertThat(value.get(JAVA_LONG, 0)).isEqualTo(7);
    LoadOptions wrong = LoadOptions.defaults().sharing(Map.of("array", hash));
    assertThatThrownBy(() -> Collection.load(TestObjects.spec("mapuse"), wrong))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("map array: the shared one has another type");
  }

  @Test
  void anIteratorGoesOverAMap() {
    fill(100);
    try (Link link = Links.iterMap(collection.program("each"), hash)) {
      ByteBuffer bytes = ByteBuffer.wrap(link.readIterator()).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(bytes.remaining()).isEqualTo(800);
      long sum = 0;
      while (bytes.hasRemaining()) {
        sum += bytes.getLong();
      }
      assertThat(sum).isEqualTo(11 * 99 * 100 / 2);
    }
  }
}
