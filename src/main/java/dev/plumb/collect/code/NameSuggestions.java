package dev.plumb.collect.code;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Names like one that is not there, for messages. */
public final class NameSuggestions {
  private static final int MOST = 3;

  private record Near(String name, int distance) {}

  private final String wanted;
  private final int limit;
  private final List<Near> near = new ArrayList<>();

  public NameSuggestions(String wanted) {
    this.wanted = wanted;
    this.limit = Math.clamp(wanted.length() / 3, wanted.length() < 3 ? 1 : 2, 4);
  }

  /** {@code "; did you mean a or b?"}, or nothing. */
  public static String hint(String wanted, Iterable<String> names) {
    NameSuggestions all = new NameSuggestions(wanted);
    names.forEach(all::offer);
    return all.hint();
  }

  /** Takes a name that is there. */
  public void offer(String name) {
    int longer = name.length() - wanted.length();
    int distance = Math.abs(longer) <= limit ? distance(wanted, name, limit) : limit + 1;
    if (distance <= limit) {
      add(new Near(name, distance));
    } else if (wanted.length() >= 3 && name.contains(wanted)) {
      // One that holds the whole word is near, but less so than one with a slip in it.
      add(new Near(name, limit + longer));
    }
  }

  public String hint() {
    return near.isEmpty()
        ? ""
        : "; did you mean " + String.join(" or ", near.stream().map(Near::name).toList()) + "?";
  }

  private void add(Near one) {
    if (near.stream().anyMatch(n -> n.name().equals(one.name()))) {
      return;
    }
    near.add(one);
    near.sort(Comparator.comparingInt(Near::distance).thenComparing(Near::name));
    if (near.size() > MOST) {
      near.removeLast();
    }
  }

  /** The Levenshtein distance; the limit + 1 if it is larger than the limit. */
  public static int distance(String a, String b, int limit) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      int best = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
        best = Math.min(best, row[j]);
      }
      if (best > limit) {
        return limit + 1;
      }
    }
    return row[b.length()];
  }
}
