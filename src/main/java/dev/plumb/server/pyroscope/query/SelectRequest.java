package dev.plumb.server.pyroscope.query;

import dev.plumb.export.wire.ProtoIn;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.GoQuoting;
import dev.plumb.server.pyroscope.wire.PyroscopeFields;
import dev.plumb.server.pyroscope.wire.TimeParameter;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import java.util.ArrayList;
import java.util.List;

/** The parameters that all Select… requests have in common, read and checked. */
public final class SelectRequest {
  static final long DEFAULT_NODES = 8192;
  static final long MAX_NODES = 1 << 20;

  private final ProfileType type;
  private final Selector selector;
  private final long startMillis;
  private final long endMillis;

  SelectRequest(ProfileType type, List<Matcher> matchers, long startMillis, long endMillis) {
    this.type = type;
    this.selector = new Selector(matchers);
    this.startMillis = startMillis;
    this.endMillis = endMillis;
    checkRange(startMillis, endMillis);
  }

  /** Reads a request's fields; each kind of request has its own field numbers. */
  static class Reader {
    String typeId = "";
    String selector = "";
    long start;
    long end;
    long maxNodes;
    int format;
    double step;
    long limit;
    boolean stacksSelected;

    /** Whether single profiles or spans are selected; Plumb records neither. */
    boolean spansSelected;

    final List<String> callSite = new ArrayList<>();
    final List<String> groupBy = new ArrayList<>();

    /** Reads the fields that have the same number in most requests. */
    Reader read(ProtoIn in) {
      while (in.next()) {
        switch (in.field()) {
          case PyroscopeFields.SELECT_TYPE -> typeId = in.string();
          case PyroscopeFields.SELECT_SELECTOR -> selector = in.string();
          case PyroscopeFields.SELECT_START -> start = in.number();
          case PyroscopeFields.SELECT_END -> end = in.number();
          default -> other(in);
        }
      }
      return this;
    }

    /** Reads a typesv1.StackTraceSelector: the frames, from the root, that a stack begins with. */
    void selectStacks(ProtoIn in) {
      stacksSelected |= in.size() > 0;
      while (in.next()) {
        if (in.field() == PyroscopeFields.STACK_SELECTOR_CALL_SITE) {
          ProtoIn location = in.message();
          while (location.next()) {
            if (location.field() == PyroscopeFields.CALL_SITE_NAME) {
              callSite.add(location.string());
            }
          }
        }
      }
    }

    /** Reads the fields that differ between requests. */
    void other(ProtoIn in) {}

    SelectRequest question() {
      ProfileType type = parseType(typeId);
      List<Matcher> matchers = parseSelector(selector);
      return new SelectRequest(type, matchers, start, end);
    }

    /** The selection; an empty one if the request selects spans. */
    Selection selection() {
      SelectRequest question = question();
      return spansSelected ? question.selection(0, 0) : question.selection();
    }

    long nodes() {
      return checkNodes(maxNodes);
    }
  }

  static long checkNodes(long wanted) {
    if (wanted > MAX_NODES) {
      throw Refusal.invalid(
          "max flamegraph nodes limit %d is greater than allowed %d", wanted, MAX_NODES);
    }
    return wanted <= 0 ? DEFAULT_NODES : wanted;
  }

  /** Refuses long lists, because each entry is looked up by itself. */
  static <T> List<T> checkCount(List<T> all, String what) {
    if (all.size() > Selector.MAX_MATCHERS) {
      throw Refusal.invalid("more than %d %s in one request", Selector.MAX_MATCHERS, what);
    }
    return all;
  }

  static List<Matcher> parseSelector(String selector) {
    try {
      return LabelSelector.parse(selector);
    } catch (Refusal e) {
      throw Refusal.invalid(
          "parsing label selector %s: %s",
          GoQuoting.quoted(selector.length() > 1_000 ? selector.substring(0, 1_000) : selector),
          e.getMessage());
    }
  }

  static ProfileType parseType(String id) {
    String[] parts = id.split(":", -1);
    boolean delta = parts.length == 6 && parts[5].equals("delta");
    if (parts.length != 5 && !delta) {
      throw Refusal.invalid(
          "profile-type selection must be of the form <name>:<sample-type>:<sample-unit>:"
              + "<period-type>:<period-unit>(:delta), got(%d): %s",
          parts.length, GoQuoting.quoted(id));
    }
    return new ProfileType(parts[0], parts[1], parts[2], parts[3], parts[4]);
  }

  private static void checkRange(long start, long end) {
    if (start == 0 && end == 0) {
      throw Refusal.invalid("missing time range in the query");
    }
    if (start > end) {
      throw Refusal.invalid("query start time is after end time");
    }
  }

  /** The time range, in requests that may omit it. */
  static TimeRange anyRange(long startMillis, long endMillis) {
    if (startMillis == 0 && endMillis == 0) {
      return TimeRange.ALL;
    }
    if (startMillis > endMillis) {
      throw Refusal.invalid("query start time is after end time");
    }
    return new TimeRange(TimeParameter.nanos(startMillis), TimeParameter.nanos(endMillis + 1));
  }

  public ProfileType type() {
    return type;
  }

  long startMillis() {
    return startMillis;
  }

  long endMillis() {
    return endMillis;
  }

  /** The selection, including the last millisecond. */
  Selection selection() {
    return selectionFrom(startMillis);
  }

  Selection selectionFrom(long millis) {
    return selection(TimeParameter.nanos(millis), TimeParameter.nanos(endMillis + 1));
  }

  Selection selection(long fromNanos, long toNanos) {
    return Selection.of(type, selector, new TimeRange(fromNanos, toNanos));
  }
}
