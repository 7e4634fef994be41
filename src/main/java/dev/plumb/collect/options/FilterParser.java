package dev.plumb.collect.options;

import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.options.Filter.Node;
import dev.plumb.collect.options.Filter.Operator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a filter.
 *
 * <pre>
 * or   := and ('||' and)*          not  := '!' not | '(' or ')' | test
 * and  := not ('&amp;&amp;' not)*  test := NAME OPERATOR (NUMBER | WORD | "TEXT")
 * </pre>
 */
final class FilterParser {
  private static final int MOST_DEPTH = 32;
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(\\|\\||&&|==|!=|<=|>=|[<>&!()~=]|\"[^\"]*\"|'[^']*'|[^\\s|&=!<>()\"'~]+)\\s*");
  private static final Pattern NUMBER = Pattern.compile("-?(0[xX][0-9a-fA-F]{1,40}|[0-9]{1,40})");

  private final String text;
  private int at;
  private int depth;

  FilterParser(String text) {
    this.text = text;
  }

  Node parse() {
    Node node = or();
    if (!peek().isEmpty()) {
      throw wrong("unexpected '" + peek() + "'");
    }
    return node;
  }

  private Node or() {
    if (++depth > MOST_DEPTH) {
      throw wrong("nested too deeply");
    }
    Node node = and();
    while (peek().equals("||")) {
      next();
      node = new Node.Both(node, and(), false);
    }
    depth--;
    return node;
  }

  private Node and() {
    Node node = not();
    while (peek().equals("&&")) {
      next();
      node = new Node.Both(node, not(), true);
    }
    return node;
  }

  private Node not() {
    if (peek().equals("!")) {
      next();
      if (++depth > MOST_DEPTH) {
        throw wrong("nested too deeply");
      }
      Node node = new Node.Not(not());
      depth--;
      return node;
    }
    if (peek().equals("(")) {
      next();
      Node node = or();
      if (!next().equals(")")) {
        throw wrong("missing )");
      }
      return node;
    }
    return test();
  }

  private Node test() {
    String name = next();
    if (!name.matches("[A-Za-z_][A-Za-z0-9_]*(:str)?")) {
      throw wrong("expected a name instead of '" + name + "'");
    }
    String sign = next();
    String value = next();
    boolean beginning = sign.equals("~");
    if (!beginning && !sign.matches("==|=|!=|<|<=|>|>=|&")) {
      throw wrong("expected ==, !=, <, <=, >, >=, & or ~ after " + name);
    }
    Operator operator = beginning || sign.equals("=") ? Operator.EQUAL : Filter.operator(sign);
    if (NUMBER.matcher(value).matches() && !beginning) {
      return new Node.Comparison(name, operator, number(value), new byte[0]);
    }
    if (value.isEmpty() || value.matches("[|&=!<>()]+")) {
      throw wrong("expected a number or a string after " + name + " " + sign);
    }
    if (operator != Operator.EQUAL && operator != Operator.NOT_EQUAL) {
      throw wrong("strings are compared by ==, != or ~");
    }
    String word = value.startsWith("\"") || value.startsWith("'") ? unquoted(value) : value;
    return new Node.Comparison(name, operator, 0, Filter.comparand(word));
  }

  private static String unquoted(String value) {
    return value.substring(1, value.length() - 1);
  }

  private long number(String value) {
    boolean negative = value.startsWith("-");
    String digits = negative ? value.substring(1) : value;
    try {
      long n =
          digits.startsWith("0x") || digits.startsWith("0X")
              ? Long.parseUnsignedLong(digits.substring(2), 16)
              : Long.parseUnsignedLong(digits);
      return negative ? -n : n;
    } catch (NumberFormatException e) {
      throw wrong(value + " is too large");
    }
  }

  private String peek() {
    int before = at;
    String token = next();
    at = before;
    return token;
  }

  /** Empty at the end. */
  private String next() {
    if (text.substring(at).isBlank()) {
      return "";
    }
    Matcher matcher = TOKEN.matcher(text);
    if (!matcher.find(at) || matcher.start() != at) {
      throw wrong("'" + text.substring(at).strip() + "' is not valid");
    }
    at = matcher.end();
    return matcher.group(1);
  }

  private ProbeException wrong(String why) {
    return new ProbeException(
        "--filter '%s': %s; an example is 'prev_pid > 0 && prev_comm ~ \"java*\"'"
            .formatted(text.length() > 200 ? text.substring(0, 200) + "…" : text, why));
  }
}
