package dev.plumb.store;

import dev.plumb.profile.ProfileType;

/**
 * What a query is about: one type, the matching series, a time range, and the part of each second
 * in it, as a rectangle on the heatmap selects it.
 */
public record Selection(ProfileType type, Selector selector, TimeRange range, Slice slice) {
  /** A part of each second, in nanoseconds from its start. */
  public record Slice(int fromNanos, int toNanos) {
    public static final Slice WHOLE = new Slice(0, 1_000_000_000);

    public Slice {
      if (fromNanos < 0 || toNanos > 1_000_000_000 || fromNanos >= toNanos) {
        throw new IllegalArgumentException(
            "a slice must lie within a second and end after its start");
      }
    }

    public boolean isWhole() {
      return equals(WHOLE);
    }
  }

  public static Selection of(ProfileType type, Selector selector, TimeRange range) {
    return new Selection(type, selector, range, Slice.WHOLE);
  }
}
