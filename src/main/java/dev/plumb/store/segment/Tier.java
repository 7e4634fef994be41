package dev.plumb.store.segment;

import java.util.List;

/**
 * The files of a segment that are dropped together, the most detailed first.
 *
 * <p>Each tier has its own share of the disk budget. Otherwise sums, which live longer, would in
 * the end leave no space for samples.
 */
public enum Tier {
  SAMPLES("raw_bytes", 0.6, List.of(SegmentFile.RAW, SegmentFile.THREAD)),
  MINUTES("minute_bytes", 0.25, List.of(SegmentFile.MINUTE, SegmentFile.SECOND)),
  HOURS("hour_bytes", 0.15, List.of(SegmentFile.HOUR));

  private final String column;
  private final double share;
  private final List<SegmentFile> files;

  Tier(String column, double share, List<SegmentFile> files) {
    this.column = column;
    this.share = share;
    this.files = files;
  }

  String column() {
    return column;
  }

  public double share() {
    return share;
  }

  public List<SegmentFile> files() {
    return files;
  }
}
