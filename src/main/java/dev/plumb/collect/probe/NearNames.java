package dev.plumb.collect.probe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Names like one that is not there, for messages. */
public final class NearNames {
  private static final int MOST = 3;

  private record Near(String name, int distance) {}

  private NearNames() {}

  /** {@code "; did you mean a, b or c?"}, or nothing. */
  public static String hint(String wanted, Iterable<String> names) {
    List<Near> near = new ArrayList<>();
    int limit = Math.clamp(wanted.length() / 3, wanted.length() < 3 ? 1 : 2, 4);
    for (String name : names) {
      // One that holds the whole word is near, but less so than one with a slip in it.
      int distance =
          Math.abs(name.length() - wanted.length()) <= limit
              ? distance(wanted, name, limit)
              : limit + 1;
      if (distance > limit && wanted.length() >= 3 && name.contains(wanted)) {
        distance = limit + name.length() - wanted.length();
      } else if (distance > limit) {
        continue;
      }
      add(near, new Near(name, distance));
    }
    return near.isEmpty()
        ? ""
        : "; did you mean " + String.join(" or ", near.stream().map(Near::name).toList()) + "?";
  }

  private static void add(List<Near> near, Near one) {
    if (near.stream().anyMatch(n -> n.name().equals(one.name()))) {
      return;
    }
    near.add(one);
    near.sort(Comparator.comparingInt(Near::distance).thenComparing(Near::name));
    if (near.size() > MOST) {
      near.removeLast();
    }
  }

  /** Levenshtein's, given up beyond the limit. */
  static int distance(String a, String b, int limit) {
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
