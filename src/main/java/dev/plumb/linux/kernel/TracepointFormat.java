package dev.plumb.linux.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fields of a tracepoint's record, read from its {@code format} file:
 *
 * <pre>
 *     field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *     field:__data_loc char[] name;	offset:8;	size:4;	signed:0;
 * </pre>
 */
public record TracepointFormat(List<Field> fields) {
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*field:([^;]{1,300});\\s*offset:([0-9]{1,6});\\s*size:([0-9]{1,6});(?:\\s*signed:([01]);)?\\s*");

  private static final Pattern LAST_WORD =
      Pattern.compile("(.*?)([A-Za-z_][A-Za-z0-9_]*)(\\[[^\\]]*\\])?\\s*", Pattern.DOTALL);

  private static final int MOST = 128;

  /** How a field is stored. */
  public enum Kind {
    NUMBER,
    /** Bytes up to a zero, in the record itself. */
    TEXT,
    /** The record has the offset (16 bits) and the length (16 bits) of the text. */
    DYNAMIC_TEXT,
    /** The record has the address of text in the memory of the process. */
    USER_TEXT,
    /** An array, a structure, a bit mask. */
    OTHER
  }

  /** A field of the record, at an offset from its start. */
  public record Field(String name, String type, int offset, int size, boolean signed, Kind kind) {}

  public TracepointFormat {
    fields = List.copyOf(fields);
  }

  /** The fields in a format file; other lines are skipped. */
  public static TracepointFormat parse(String text) {
    List<Field> fields = new ArrayList<>();
    for (String line : text.split("\n")) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && fields.size() < MOST) {
        field(matcher).ifPresent(fields::add);
      }
    }
    return new TracepointFormat(fields);
  }

  private static Optional<Field> field(Matcher line) {
    Matcher words = LAST_WORD.matcher(line.group(1));
    if (!words.matches()) {
      return Optional.empty();
    }
    String type = (words.group(1) + (words.group(3) == null ? "" : words.group(3))).strip();
    int size = Integer.parseInt(line.group(3));
    boolean signed = "1".equals(line.group(4));
    return Optional.of(
        new Field(
            words.group(2), type, Integer.parseInt(line.group(2)), size, signed, kind(type, size)));
  }

  private static Kind kind(String type, int size) {
    boolean characters = type.matches(".*\\bchar\\b.*");
    if (type.startsWith("__data_loc")) {
      return characters && size == 4 ? Kind.DYNAMIC_TEXT : Kind.OTHER;
    }
    if (type.startsWith("__rel_loc")) {
      return Kind.OTHER;
    }
    if (type.endsWith("]")) {
      return characters ? Kind.TEXT : Kind.OTHER;
    }
    if (characters && type.endsWith("*")) {
      return Kind.USER_TEXT;
    }
    return size == 1 || size == 2 || size == 4 || size == 8 ? Kind.NUMBER : Kind.OTHER;
  }

  /** The tracepoint's own fields, without those that all tracepoints have. */
  public List<Field> own() {
    return fields.stream()
        .filter(f -> !f.name().startsWith("common_") && !f.name().equals("__syscall_nr"))
        .toList();
  }

  public Optional<Field> field(String name) {
    return fields.stream().filter(f -> f.name().equals(name)).findFirst();
  }
}
