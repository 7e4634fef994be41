package dev.plumb.profile;

/** What a column of values counts, e.g. {@code cpu} in {@code nanoseconds}. */
public record ValueType(String name, String unit) {
  /** Of what is not sampled: every event counts. */
  public static final ValueType NONE = new ValueType("", "");
}
