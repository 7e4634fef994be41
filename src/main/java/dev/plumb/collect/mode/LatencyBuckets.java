package dev.plumb.collect.mode;

/** The kernel side's buckets of durations ({@code bucket()} in {@code sums.h}), as labels. */
public final class LatencyBuckets {
  /** The label of a histogram's bucket. */
  public static final String LABEL = "latency";

  private static final int MASK = 0x3f;

  private LatencyBuckets() {}

  /**
   * The lower bound of a bucket, for example {@code 64us}; {@code 0us} stands for less than 1 µs.
   *
   * @param detail its lowest bits are the bucket: the number of significant bits in the
   *     microseconds
   */
  public static String text(long detail) {
    int bits = (int) detail & MASK;
    return bits == 0 ? "0us" : (1L << (bits - 1)) + "us";
  }

  /** The bucket of a duration, as the kernel side chooses it. */
  public static int of(long nanos) {
    return 64 - Long.numberOfLeadingZeros(nanos / 1000);
  }
}
