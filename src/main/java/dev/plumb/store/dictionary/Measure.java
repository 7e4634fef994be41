package dev.plumb.store.dictionary;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a row's two numbers mean. A profile's main type and its counting type share a row; each
 * further type has rows of its own.
 *
 * @param mode its name on the command line
 * @param type of the value
 * @param countType of the count, if the profile has one
 * @param period what one sample stands for in the first recording, or 0
 */
public record Measure(String mode, ProfileType type, Optional<ProfileType> countType, long period) {
  /** The measure of the main type and, if there is one, the counting type. */
  public static Measure ofMain(Profile profile) {
    OptionalInt count = profile.countType();
    boolean second = count.isPresent() && count.getAsInt() != profile.mainType();
    return new Measure(
        profile.mode(),
        ProfileType.of(profile, profile.mainType()),
        second ? Optional.of(ProfileType.of(profile, count.getAsInt())) : Optional.empty(),
        profile.period());
  }

  /** The measure of any other type. */
  public static Measure ofOther(Profile profile, int type) {
    return new Measure(
        profile.mode(), ProfileType.of(profile, type), Optional.empty(), profile.period());
  }

  /** Without the period: sampling frequencies may change. */
  Measure key() {
    return new Measure(mode, type, countType, 0);
  }
}
