package dev.plumb.server.pyroscope;

import dev.plumb.profile.ProfileType;
import dev.plumb.server.Refusal;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Labels that Pyroscope gives to every series and that follow from its type; the store has the
 * type, not them.
 */
final class MetaLabels {
  static final String SERVICE = "service_name";
  private static final String SERVICE_TWIN = "__service_name__";
  private static final String PROFILE_TYPE = "__profile_type__";

  private MetaLabels() {}

  /** Matchers, those on types apart from those that the store knows. */
  record Split(Selector selector, List<Matcher> ofType) {
    boolean accepts(ProfileType type) {
      return ofType.stream().allMatch(matcher -> matches(matcher, of(type).get(matcher.name())));
    }
  }

  static SortedMap<String, String> of(ProfileType type) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("__name__", type.name());
    labels.put("__type__", type.sampleType());
    labels.put("__unit__", type.sampleUnit());
    labels.put("__period_type__", type.periodType());
    labels.put("__period_unit__", type.periodUnit());
    labels.put(PROFILE_TYPE, type.id());
    return labels;
  }

  private static final SortedMap<String, String> NAMES = of(new ProfileType("", "", "", "", ""));

  /** Whether it follows from the type. */
  static boolean isOfType(String name) {
    return NAMES.containsKey(name);
  }

  /** The store's name for it. */
  static String stored(String name) {
    return name.equals(SERVICE_TWIN) ? SERVICE : name;
  }

  static boolean isTwin(String name) {
    return name.equals(SERVICE_TWIN);
  }

  static SortedSet<String> allNames(SortedSet<String> stored) {
    SortedSet<String> all = new TreeSet<>(stored);
    if (!stored.isEmpty()) {
      all.addAll(NAMES.keySet());
      all.add(SERVICE_TWIN);
    }
    return all;
  }

  static Split split(List<Matcher> matchers) {
    List<Matcher> stored = new ArrayList<>();
    List<Matcher> ofType = new ArrayList<>();
    for (Matcher matcher : matchers) {
      if (isOfType(matcher.name())) {
        ofType.add(matcher);
      } else {
        stored.add(new Matcher(stored(matcher.name()), matcher.operator(), matcher.value()));
      }
    }
    return new Split(new Selector(stored), ofType);
  }

  private static boolean matches(Matcher matcher, String value) {
    boolean pattern =
        matcher.operator() == Matcher.Operator.MATCHES
            || matcher.operator() == Matcher.Operator.NOT_MATCHES;
    boolean same = pattern ? fits(matcher.value(), value) : matcher.value().equals(value);
    boolean negated =
        matcher.operator() == Matcher.Operator.NOT_EQUAL
            || matcher.operator() == Matcher.Operator.NOT_MATCHES;
    return same != negated;
  }

  private static boolean fits(String pattern, String value) {
    try {
      return Pattern.compile(pattern).matcher(new CountedText(value, new int[1])).matches();
    } catch (CountedText.TooLong | StackOverflowError e) {
      throw Refusal.invalid("the pattern takes too long to match: write a simpler one");
    }
  }

  /** The values of a label that follows from the type. */
  static SortedSet<String> values(String name, List<ProfileType> types) {
    SortedSet<String> values = new TreeSet<>();
    types.forEach(
        type ->
            Optional.ofNullable(of(type).get(name))
                .filter(value -> !value.isEmpty())
                .ifPresent(values::add));
    return values;
  }
}
