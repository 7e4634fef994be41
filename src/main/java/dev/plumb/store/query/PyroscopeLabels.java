package dev.plumb.store.query;

import dev.plumb.profile.ProfileType;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Pyroscope's labels that say what a series measures. Selectors may use them; nothing lists them.
 */
final class PyroscopeLabels {
  private static final Map<String, Function<ProfileType, String>> ALL =
      Map.of(
          "__name__", ProfileType::name,
          "__profile_type__", ProfileType::id,
          "__type__", ProfileType::sampleType,
          "__unit__", ProfileType::sampleUnit,
          "__period_type__", ProfileType::periodType,
          "__period_unit__", ProfileType::periodUnit);

  private PyroscopeLabels() {}

  static Set<String> names() {
    return ALL.keySet();
  }

  static boolean isHidden(String name) {
    return ALL.containsKey(name);
  }

  static String value(String name, ProfileType type) {
    return ALL.get(name).apply(type);
  }
}
