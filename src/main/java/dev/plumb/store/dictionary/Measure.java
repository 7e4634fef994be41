package dev.plumb.store.dictionary;

import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a row's two numbers mean. A profile's main type and the one that counts stand in one row;
 * each further type has rows of its own.
 *
 * @param mode the command's word for it
 * @param type of the value
 * @param countType of the count, where that is a type of its own
 * @param period what one sample stands for, or 0
 */
public record Measure(String mode, ProfileType type, Optional<ProfileType> countType, long period) {
  /** Of the main type and, if there is one, the counting type. */
  public static Measure ofMain(Profile profile) {
    OptionalInt count = profile.countType();
    boolean second = count.isPresent() && count.getAsInt() != profile.mainType();
    return new Measure(
        profile.mode(),
        ProfileType.of(profile, profile.mainType()),
        second ? Optional.of(ProfileType.of(profile, count.getAsInt())) : Optional.empty(),
        profile.period());
  }

  /** Of a type that is neither. */
  public static Measure ofOther(Profile profile, int type) {
    return new Measure(
        profile.mode(), ProfileType.of(profile, type), Optional.empty(), profile.period());
  }

  /** Equal in all but the period: rates may change. */
  Measure key() {
    return new Measure(mode, type, countType, 0);
  }
}
