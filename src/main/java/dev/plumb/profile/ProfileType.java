package dev.plumb.profile;

/**
 * What is measured, in Pyroscope's notation: {@code process_cpu:cpu:nanoseconds:cpu:nanoseconds}.
 * Period type and unit are empty if nothing is sampled: {@code off_cpu:time:nanoseconds::}.
 */
public record ProfileType(
    String name, String sampleType, String sampleUnit, String periodType, String periodUnit) {

  /** The type of a profile's column. */
  public static ProfileType of(Profile profile, int type) {
    ValueType value = profile.types().get(type);
    ValueType period = profile.periodType();
    if (profile.period() == 0 && profile.types().contains(period)) {
      period = ValueType.NONE; // what other tools write if nothing is sampled
    }
    return new ProfileType(
        profile.name(), value.name(), value.unit(), period.name(), period.unit());
  }

  /** Parses an id; throws IllegalArgumentException if it does not have five parts. */
  public static ProfileType parse(String id) {
    String[] parts = id.split(":", -1);
    if (parts.length != 5 || parts[0].isEmpty() || parts[1].isEmpty() || parts[2].isEmpty()) {
      throw new IllegalArgumentException(
          "profile type '%s' is not of the form name:type:unit:period:unit, such as %s"
              .formatted(id, "process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
    }
    return new ProfileType(parts[0], parts[1], parts[2], parts[3], parts[4]);
  }

  public String id() {
    return String.join(":", name, sampleType, sampleUnit, periodType, periodUnit);
  }
}
