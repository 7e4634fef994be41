package dev.plumb.collect.options;

import dev.plumb.collect.code.ProbeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A condition on a probe's arguments: {@code count > 4096 && comm == "sh"}. The kernel side
 * evaluates a list of tests, each of which names the next test for true and for false.
 */
public final class Filter {
  /** Instead of a next test: the event counts, or does not. */
  public static final int ACCEPT = 254;

  public static final int REJECT = 255;
  public static final int MOST_TESTS = 16;
  public static final int MOST_TEXT = 32;

  /** {@code enum operator} of {@code arguments.h}, in its order. */
  public enum Operator {
    EQUAL("=="),
    NOT_EQUAL("!="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    ANY_BIT("&");

    private final String text;

    Operator(String text) {
      this.text = text;
    }
  }

  /**
   * One comparison.
   *
   * @param text what is compared with, with the zero at its end unless it is only a beginning;
   *     empty for numbers
   */
  public record Test(
      String name, Operator operator, long value, byte[] text, int onTrue, int onFalse) {
    public boolean isText() {
      return text.length > 0;
    }
  }

  /** A filter that accepts every event. */
  public static final Filter NONE = new Filter(List.of());

  private final List<Test> tests;

  private Filter(List<Test> tests) {
    this.tests = List.copyOf(tests);
  }

  public List<Test> tests() {
    return tests;
  }

  /** The arguments that it asks for. */
  public Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    tests.forEach(test -> names.add(test.name()));
    return names;
  }

  public static Filter parse(String text) {
    if (text.isBlank()) {
      return NONE;
    }
    FilterParser parser = new FilterParser(text);
    Node root = parser.parse();
    if (root.size() > MOST_TESTS) {
      throw new ProbeException("--filter: at most " + MOST_TESTS + " comparisons");
    }
    List<Test> tests = new ArrayList<>();
    emit(root, 0, ACCEPT, REJECT, tests);
    return new Filter(tests);
  }

  /** What a text compares with; {@code sh*} is all that begins like it. */
  static byte[] comparand(String text) {
    String whole = text.endsWith("*") ? text.substring(0, text.length() - 1) : text + "\0";
    byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > MOST_TEXT) {
      throw new ProbeException("--filter: a string must have 1 to " + (MOST_TEXT - 1) + " bytes");
    }
    return bytes;
  }

  static Operator operator(String text) {
    for (Operator operator : Operator.values()) {
      if (operator.text.equals(text)) {
        return operator;
      }
    }
    throw new IllegalStateException(text);
  }

  /** The parts of a condition. */
  sealed interface Node {
    int size();

    record Comparison(String name, Operator operator, long value, byte[] text) implements Node {
      @Override
      public int size() {
        return 1;
      }
    }

    record Both(Node left, Node right, boolean and) implements Node {
      @Override
      public int size() {
        return left.size() + right.size();
      }
    }

    record Not(Node node) implements Node {
      @Override
      public int size() {
        return node.size();
      }
    }
  }

  private static void emit(Node node, int start, int onTrue, int onFalse, List<Test> tests) {
    switch (node) {
      case Node.Comparison c ->
          tests.add(new Test(c.name(), c.operator(), c.value(), c.text(), onTrue, onFalse));
      case Node.Not not -> emit(not.node(), start, onFalse, onTrue, tests);
      case Node.Both both -> {
        int middle = start + both.left().size();
        emit(
            both.left(), start, both.and() ? middle : onTrue, both.and() ? onFalse : middle, tests);
        emit(both.right(), middle, onTrue, onFalse, tests);
      }
    }
  }
}
