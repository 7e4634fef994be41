package dev.plumb.profile;

/** What a column of values measures, e.g. {@code cpu} in {@code nanoseconds}. */
public record ValueType(String name, String unit) {
  /** The period type if nothing is sampled: every event counts. */
  public static final ValueType NONE = new ValueType("", "");
}
