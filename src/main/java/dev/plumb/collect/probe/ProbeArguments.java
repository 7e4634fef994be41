package dev.plumb.collect.probe;

import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.options.Filter;
import dev.plumb.collect.probe.Argument.Kind;
import dev.plumb.linux.kernel.TracepointFormat;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The arguments that a probe has, by name. */
public record ProbeArguments(String probe, List<Argument> arguments) {
  public ProbeArguments {
    arguments = List.copyOf(arguments);
  }

  /** The registers in which a function gets its arguments: {@code arg0} … */
  public static ProbeArguments ofFunction(String probe) {
    List<Argument> arguments = new ArrayList<>();
    for (int i = 0; i < PtRegs.argumentCount(); i++) {
      arguments.add(Argument.register("arg" + i, PtRegs.argument(i)));
    }
    return new ProbeArguments(probe, arguments);
  }

  /** The words that fentry gets. */
  public static ProbeArguments ofWords(String probe, int count) {
    List<Argument> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arguments.add(
          new Argument("arg" + i, Kind.WORD, 8L * i, 0, Argument.NO_REGISTER, 0, 8, true));
    }
    return new ProbeArguments(probe, arguments);
  }

  /** The fields of a tracepoint's record. */
  public static ProbeArguments ofEvent(String probe, TracepointFormat format) {
    List<Argument> arguments = new ArrayList<>();
    for (TracepointFormat.Field field : format.own()) {
      Kind kind =
          switch (field.kind()) {
            case NUMBER -> Kind.FIELD;
            case TEXT -> Kind.TEXT_FIELD;
            case DYNAMIC_TEXT -> Kind.DYNAMIC_TEXT;
            case USER_TEXT -> Kind.TEXT_AT_FIELD;
            case OTHER -> Kind.NONE;
          };
      if (kind != Kind.NONE) {
        arguments.add(
            new Argument(
                field.name(),
                kind,
                field.offset(),
                0,
                Argument.NO_REGISTER,
                0,
                Math.min(field.size(), Argument.TEXT_SIZE),
                field.signed()));
      }
    }
    return new ProbeArguments(probe, arguments);
  }

  /**
   * The arguments to read: first those that become labels, then those that only the filter asks
   * for.
   *
   * @param labels names, each with {@code :str} if it points to text; {@code all} for all
   */
  public List<Argument> choose(List<String> labels, Filter filter) {
    Set<String> names = new LinkedHashSet<>();
    for (String label : labels) {
      if (label.equals("all")) {
        arguments.stream().limit(Argument.MOST).forEach(a -> names.add(a.name()));
      } else {
        names.add(label);
      }
    }
    names.addAll(filter.names());
    if (names.size() > Argument.MOST) {
      throw new ProbeException(
          probe + ": at most " + Argument.MOST + " arguments can be read; name fewer in --args");
    }
    return names.stream().map(this::argument).toList();
  }

  /** How many of {@link #choose} are labels. */
  public int labelCount(List<String> labels) {
    return choose(labels, Filter.NONE).size();
  }

  private Argument argument(String word) {
    boolean text = word.endsWith(":str");
    String name = text ? word.substring(0, word.length() - 4) : word;
    for (Argument argument : arguments) {
      if (argument.name().equals(name) || name.equals(argument.name().replace("arg", ""))) {
        return (text && !argument.isText() ? argument.asText() : argument).named(word);
      }
    }
    throw new ProbeException(
        "%s has no argument '%s'; %s"
            .formatted(
                probe,
                name,
                arguments.isEmpty()
                    ? "it has none"
                    : "it has "
                        + String.join(", ", arguments.stream().map(Argument::name).toList())));
  }
}
