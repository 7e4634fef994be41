package dev.plumb.linux.perf;

import static dev.plumb.linux.KernelField.u16;
import static dev.plumb.linux.KernelField.u32;
import static dev.plumb.linux.KernelField.u64;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.KernelField;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Tracefs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a perf event counts and what its samples contain: {@code struct perf_event_attr}, built step
 * by step. A new one is all zero, which requests nothing.
 */
public final class PerfEventAttr {
  public static final int TYPE_HARDWARE = 0;
  public static final int TYPE_SOFTWARE = 1;
  public static final int TYPE_TRACEPOINT = 2;

  public static final int SW_CPU_CLOCK = 0;
  public static final int SW_TASK_CLOCK = 1;
  public static final int SW_PAGE_FAULTS = 2;
  public static final int SW_CONTEXT_SWITCHES = 3;
  public static final int SW_CPU_MIGRATIONS = 4;
  public static final int SW_PAGE_FAULTS_MIN = 5;
  public static final int SW_PAGE_FAULTS_MAJ = 6;
  public static final int SW_DUMMY = 9;
  public static final int SW_BPF_OUTPUT = 10;

  public static final int HW_CPU_CYCLES = 0;
  public static final int HW_INSTRUCTIONS = 1;
  public static final int HW_CACHE_REFERENCES = 2;
  public static final int HW_CACHE_MISSES = 3;
  public static final int HW_BRANCH_INSTRUCTIONS = 4;
  public static final int HW_BRANCH_MISSES = 5;

  public static final long SAMPLE_IP = 1;
  public static final long SAMPLE_TID = 1 << 1;
  public static final long SAMPLE_TIME = 1 << 2;
  public static final long SAMPLE_ADDR = 1 << 3;
  public static final long SAMPLE_READ = 1 << 4;
  public static final long SAMPLE_CALLCHAIN = 1 << 5;
  public static final long SAMPLE_ID = 1 << 6;
  public static final long SAMPLE_CPU = 1 << 7;
  public static final long SAMPLE_PERIOD = 1 << 8;
  public static final long SAMPLE_STREAM_ID = 1 << 9;
  public static final long SAMPLE_RAW = 1 << 10;
  public static final long SAMPLE_IDENTIFIER = 1 << 16;

  /**
   * {@code struct perf_event_attr}; {@code PerfEventAttrTest} compares it with the kernel's. Older
   * kernels know fewer fields and accept the rest as long as it is zero.
   */
  static final class Layout {
    static final int SIZE_VER7 = 128;
    static final KernelField TYPE = u32("type", 0);
    static final KernelField SIZE = u32("size", 4);
    static final KernelField CONFIG = u64("config", 8);
    static final KernelField PERIOD_OR_FREQUENCY = u64("sample_period", 16);
    static final KernelField SAMPLE_TYPE = u64("sample_type", 24);
    static final KernelField READ_FORMAT = u64("read_format", 32);

    /** The kernel has bit fields there, from {@code disabled} on; see {@link Flag}. */
    static final int FLAGS_OFFSET = 40;

    static final KernelField WAKEUP = u32("wakeup_events", 48);
    static final KernelField CONFIG1 = u64("config1", 56);
    static final KernelField CONFIG2 = u64("config2", 64);
    static final KernelField CLOCK_ID = u32("clockid", 92);
    static final KernelField MAX_STACK = u16("sample_max_stack", 108);

    private Layout() {}
  }

  /** The flag bits; a constant's bit number is part of the kernel's interface. */
  public enum Flag {
    DISABLED(0),
    INHERIT(1),
    PINNED(2),
    EXCLUSIVE(3),
    EXCLUDE_USER(4),
    EXCLUDE_KERNEL(5),
    EXCLUDE_HV(6),
    EXCLUDE_IDLE(7),
    MMAP(8),
    COMM(9),
    FREQ(10),
    INHERIT_STAT(11),
    ENABLE_ON_EXEC(12),
    TASK(13),
    WATERMARK(14),
    MMAP_DATA(17),
    SAMPLE_ID_ALL(18),
    EXCLUDE_HOST(19),
    EXCLUDE_GUEST(20),
    EXCLUDE_CALLCHAIN_KERNEL(21),
    EXCLUDE_CALLCHAIN_USER(22),
    MMAP2(23),
    COMM_EXEC(24),
    USE_CLOCKID(25),
    CONTEXT_SWITCH(26),
    WRITE_BACKWARD(27),
    NAMESPACES(28),
    KSYMBOL(29),
    BPF_EVENT(30),
    CGROUP(32),
    TEXT_POKE(33),
    BUILD_ID(34),
    INHERIT_THREAD(35),
    REMOVE_ON_EXEC(36);

    private final long mask;

    Flag(int bit) {
      this.mask = 1L << bit;
    }
  }

  private final int type;
  private final String what;
  private long config;
  private long period;
  private long sampleType;
  private long readFormat;
  private long flags;
  private int wakeup;
  private long config1;
  private long config2;
  private String config1Text = "";
  private int clock;
  private int maxStack;

  private PerfEventAttr(int type, long config, String what) {
    this.type = type;
    this.config = config;
    this.what = what;
  }

  /** Any type and config, as {@code /sys/bus/event_source/devices/…} describes them. */
  public static PerfEventAttr of(int type, long config) {
    return new PerfEventAttr(type, config, "type " + type + " config " + config);
  }

  /** One of the kernel's own counters, {@code SW_…}. */
  public static PerfEventAttr software(int event) {
    return new PerfEventAttr(TYPE_SOFTWARE, event, "software event " + event);
  }

  /** One of the generalised PMU events, {@code HW_…}. */
  public static PerfEventAttr hardware(int event) {
    return new PerfEventAttr(TYPE_HARDWARE, event, "hardware event " + event);
  }

  /** A tracepoint by its number in {@link Tracefs}. */
  public static PerfEventAttr tracepoint(int id) {
    return new PerfEventAttr(TYPE_TRACEPOINT, id, "tracepoint " + id).period(1);
  }

  /** The entry of a kernel function (plus an offset in bytes), or its return. */
  public static PerfEventAttr kprobe(String function, long offset, boolean onReturn) {
    PerfPmu pmu = PerfPmu.named("kprobe");
    PerfEventAttr attr =
        new PerfEventAttr(
            pmu.type(),
            onReturn ? pmu.bit("retprobe") : 0,
            (onReturn ? "kretprobe " : "kprobe ") + function);
    attr.config1Text = function;
    attr.config2 = offset;
    return attr.period(1);
  }

  /**
   * An instruction of a file, or the return of the function that starts there.
   *
   * @param semaphoreOffset file offset of the USDT semaphore, which the kernel raises while the
   *     event is open; or 0
   */
  public static PerfEventAttr uprobe(
      String path, long fileOffset, boolean onReturn, long semaphoreOffset) {
    PerfPmu pmu = PerfPmu.named("uprobe");
    long config = onReturn ? pmu.bit("retprobe") : 0;
    if (semaphoreOffset != 0) {
      config |= semaphoreOffset << pmu.firstBit("ref_ctr_offset");
    }
    PerfEventAttr attr =
        new PerfEventAttr(
            pmu.type(), config, (onReturn ? "uretprobe " : "uprobe ") + path + "+" + fileOffset);
    attr.config1Text = path;
    attr.config2 = fileOffset;
    return attr.period(1);
  }

  /** One sample per this number of events. */
  public PerfEventAttr period(long events) {
    period = events;
    flags &= ~Flag.FREQ.mask;
    return this;
  }

  /** Samples per second; the kernel adjusts the period. */
  public PerfEventAttr frequency(long hertz) {
    period = hertz;
    flags |= Flag.FREQ.mask;
    return this;
  }

  /** The fields of a sample: {@code SAMPLE_…} bits. */
  public PerfEventAttr sampleType(long bits) {
    sampleType = bits;
    return this;
  }

  /** What {@code read} returns: {@code PERF_FORMAT_…} bits. */
  public PerfEventAttr readFormat(long bits) {
    readFormat = bits;
    return this;
  }

  public PerfEventAttr flags(Flag... set) {
    for (Flag flag : set) {
      flags |= flag.mask;
    }
    return this;
  }

  /** Wakes the reader after this number of samples. */
  public PerfEventAttr wakeupEvents(int samples) {
    wakeup = samples;
    flags &= ~Flag.WATERMARK.mask;
    return this;
  }

  /** Wakes the reader when this number of bytes is in the ring buffer. */
  public PerfEventAttr wakeupWatermark(int bytes) {
    wakeup = bytes;
    flags |= Flag.WATERMARK.mask;
    return this;
  }

  /** Takes timestamps from this clock ({@link SystemCalls#CLOCK_MONOTONIC}, …). */
  public PerfEventAttr clock(int clockId) {
    clock = clockId;
    flags |= Flag.USE_CLOCKID.mask;
    return this;
  }

  public PerfEventAttr config1(long value) {
    config1 = value;
    return this;
  }

  public PerfEventAttr config2(long value) {
    config2 = value;
    return this;
  }

  /** The maximum number of frames in a call chain; 0: the system's limit. */
  public PerfEventAttr maxStack(int frames) {
    maxStack = frames;
    return this;
  }

  MemorySegment toSegment(Arena arena) {
    MemorySegment attr = arena.allocate(Layout.SIZE_VER7, 8);
    Layout.TYPE.put(attr, type);
    Layout.SIZE.put(attr, Layout.SIZE_VER7);
    Layout.CONFIG.put(attr, config);
    Layout.PERIOD_OR_FREQUENCY.put(attr, period);
    Layout.SAMPLE_TYPE.put(attr, sampleType);
    Layout.READ_FORMAT.put(attr, readFormat);
    attr.set(JAVA_LONG, Layout.FLAGS_OFFSET, flags);
    Layout.WAKEUP.put(attr, wakeup);
    Layout.CONFIG1.put(
        attr, config1Text.isEmpty() ? config1 : arena.allocateFrom(config1Text).address());
    Layout.CONFIG2.put(attr, config2);
    Layout.CLOCK_ID.put(attr, clock);
    Layout.MAX_STACK.put(attr, maxStack);
    return attr;
  }

  @Override
  public String toString() {
    return what;
  }
}
