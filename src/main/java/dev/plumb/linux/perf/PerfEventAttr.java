package dev.plumb.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Tracefs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a perf event counts and what its samples hold: {@code struct perf_event_attr}, built step by
 * step. A new one is an all-zero attribute, which the kernel reads as "nothing asked for".
 *
 * <pre>
 *   0 type   4 size   8 config   16 sample_period | sample_freq   24 sample_type   32 read_format
 *  40 flag bits   48 wakeup_events | wakeup_watermark   52 bp_type   56 config1   64 config2
 *  72 branch_sample_type   80 sample_regs_user   88 sample_stack_user   92 clockid
 *  96 sample_regs_intr   104 aux_watermark   108 sample_max_stack   112 aux_sample_size
 * 120 sig_data   (128 bytes: PERF_ATTR_SIZE_VER7; older kernels take the zero tail)
 * </pre>
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

  static final int SIZE = 128;

  /** The flag bits at offset 40; the constant's bit number is part of the kernel's interface. */
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

  /** A kernel function's entry (plus an offset in bytes), or its return. */
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
   * @param semaphoreOffset file offset of the USDT semaphore that the kernel holds up, or 0
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

  /** A sample every so many events. */
  public PerfEventAttr period(long events) {
    period = events;
    flags &= ~Flag.FREQ.mask;
    return this;
  }

  /** Samples so many times a second; the kernel finds the period. */
  public PerfEventAttr frequency(long hertz) {
    period = hertz;
    flags |= Flag.FREQ.mask;
    return this;
  }

  /** Which fields a sample has: {@code SAMPLE_…} bits. */
  public PerfEventAttr sampleType(long bits) {
    sampleType = bits;
    return this;
  }

  /** What {@code read} gives: PERF_FORMAT_… bits. */
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

  /** Wakes the reader after so many samples. */
  public PerfEventAttr wakeupEvents(int samples) {
    wakeup = samples;
    flags &= ~Flag.WATERMARK.mask;
    return this;
  }

  /** Wakes the reader when so many bytes wait in the ring. */
  public PerfEventAttr wakeupWatermark(int bytes) {
    wakeup = bytes;
    flags |= Flag.WATERMARK.mask;
    return this;
  }

  /** Stamps samples by this clock ({@link SystemCalls#CLOCK_MONOTONIC}, …). */
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

  /** The most frames of a call chain; 0 for the system's limit. */
  public PerfEventAttr maxStack(int frames) {
    maxStack = frames;
    return this;
  }

  MemorySegment toSegment(Arena arena) {
    MemorySegment attr = arena.allocate(SIZE, 8);
    attr.set(JAVA_INT, 0, type);
    attr.set(JAVA_INT, 4, SIZE);
    attr.set(JAVA_LONG, 8, config);
    attr.set(JAVA_LONG, 16, period);
    attr.set(JAVA_LONG, 24, sampleType);
    attr.set(JAVA_LONG, 32, readFormat);
    attr.set(JAVA_LONG, 40, flags);
    attr.set(JAVA_INT, 48, wakeup);
    attr.set(
        JAVA_LONG, 56, config1Text.isEmpty() ? config1 : arena.allocateFrom(config1Text).address());
    attr.set(JAVA_LONG, 64, config2);
    attr.set(JAVA_INT, 92, clock);
    attr.set(JAVA_SHORT, 108, (short) maxStack);
    return attr;
  }

  @Override
  public String toString() {
    return what;
  }
}
