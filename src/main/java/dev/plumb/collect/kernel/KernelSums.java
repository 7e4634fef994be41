package dev.plumb.collect.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import dev.plumb.linux.Clock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The sums that the kernel side keeps ({@code sums.h}), in two maps that take turns: programs add
 * to one; the other is emptied once the stacks that it refers to have arrived.
 */
public final class KernelSums implements AutoCloseable {
  private static final int MAX_ENTRIES = 1 << 16;

  /** Takes the sum of a kind: that of a mode's records. */
  public interface Taker {
    void take(int kind, KernelSum sum);
  }

  private final BpfMap slot;
  private BpfMap filling = newMap();
  private BpfMap resting = newMap();
  private long restingSince;

  /**
   * @param slot the map of maps that tells the kernel side which of the two to fill
   */
  public KernelSums(BpfMap slot) {
    this.slot = slot;
    fill(filling);
  }

  private static BpfMap newMap() {
    return BpfMap.create(
        new MapSpec("sum_map")
            .type(MapType.HASH)
            .keySize(Records.SUM_KEY_SIZE)
            .valueSize(Records.SUM_SIZE)
            .maxEntries(MAX_ENTRIES));
  }

  /** When this returns, no BPF program uses the previous map any more. */
  private void fill(BpfMap map) {
    try (Arena arena = Arena.ofConfined()) {
      slot.update(
          arena.allocateFrom(JAVA_INT, 0), arena.allocateFrom(JAVA_INT, map.fd()), BpfMap.ANY);
    }
  }

  /**
   * Takes the sums up to the previous turn; the map that was filled since then is set aside now.
   */
  public void turn(Taker taker) {
    empty(taker);
    BpfMap filled = filling;
    filling = resting;
    resting = filled;
    fill(filling);
    restingSince = Clock.monotonic();
  }

  private void empty(Taker taker) {
    long time = restingSince;
    resting.drain(
        (key, sum) ->
            taker.take(key.get(JAVA_INT, Records.SUM_KIND_OFFSET), sumOf(time, key, sum)));
  }

  private static KernelSum sumOf(long time, MemorySegment key, MemorySegment sum) {
    return new KernelSum(
        time,
        key.get(JAVA_LONG, 0),
        key.get(JAVA_LONG, Records.SUM_DETAIL_OFFSET),
        key.get(JAVA_INT, Records.SUM_TID_OFFSET),
        sum.get(JAVA_LONG, 0),
        sum.get(JAVA_LONG, 8),
        sum.get(JAVA_LONG, 16));
  }

  @Override
  public void close() {
    filling.close();
    resting.close();
  }
}
