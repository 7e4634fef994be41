package dev.plumb.bpf.object;

/** The kernel's numbers for kinds of maps that Plumb makes decisions by. */
public final class MapType {
  public static final int HASH = 1;
  public static final int ARRAY = 2;
  public static final int PROG_ARRAY = 3;
  public static final int PERF_EVENT_ARRAY = 4;
  public static final int PERCPU_HASH = 5;
  public static final int PERCPU_ARRAY = 6;
  public static final int STACK_TRACE = 7;
  public static final int CGROUP_ARRAY = 8;
  public static final int LRU_HASH = 9;
  public static final int LRU_PERCPU_HASH = 10;
  public static final int LPM_TRIE = 11;
  public static final int ARRAY_OF_MAPS = 12;
  public static final int HASH_OF_MAPS = 13;
  public static final int DEVMAP = 14;
  public static final int SOCKMAP = 15;
  public static final int CPUMAP = 16;
  public static final int XSKMAP = 17;
  public static final int SOCKHASH = 18;
  public static final int PERCPU_CGROUP_STORAGE = 21;
  public static final int QUEUE = 22;
  public static final int STACK = 23;
  public static final int DEVMAP_HASH = 25;
  public static final int STRUCT_OPS = 26;
  public static final int RINGBUF = 27;
  public static final int TASK_STORAGE = 29;
  public static final int BLOOM_FILTER = 30;
  public static final int USER_RINGBUF = 31;
  public static final int CGRP_STORAGE = 32;
  public static final int ARENA = 33;

  private MapType() {}

  public static boolean isPerCpu(int type) {
    return switch (type) {
      case PERCPU_HASH, PERCPU_ARRAY, LRU_PERCPU_HASH, PERCPU_CGROUP_STORAGE -> true;
      default -> false;
    };
  }

  public static boolean isMapOfMaps(int type) {
    return type == ARRAY_OF_MAPS || type == HASH_OF_MAPS;
  }

  public static boolean isRingBuffer(int type) {
    return type == RINGBUF || type == USER_RINGBUF;
  }

  /** Whether the kernel takes BTF types for the keys and values of such a map. */
  public static boolean takesTypes(int type) {
    return switch (type) {
      case PERF_EVENT_ARRAY,
          CGROUP_ARRAY,
          STACK_TRACE,
          ARRAY_OF_MAPS,
          HASH_OF_MAPS,
          DEVMAP,
          DEVMAP_HASH,
          CPUMAP,
          XSKMAP,
          SOCKMAP,
          SOCKHASH,
          QUEUE,
          STACK,
          PROG_ARRAY,
          RINGBUF,
          USER_RINGBUF,
          ARENA ->
          false;
      default -> true;
    };
  }
}
