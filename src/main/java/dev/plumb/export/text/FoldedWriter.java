package dev.plumb.export.text;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.TextOut;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.Symbol;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Writes folded stacks: {@code comm;root;…;leaf value}, a line per distinct stack.
 *
 * <p>Kernel frames end in {@code _[k]}, inlined ones in {@code _[i]}, JIT ones in {@code _[j]}.
 * Sampled values are written as numbers of samples, times in microseconds, all others as they are.
 */
public final class FoldedWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    Profile profile = options.profile(recording);
    int type = type(profile, options);
    CallTree tree = CallTree.of(profile, type);
    long divisor = divisor(profile, type);
    TextOut text = new TextOut(out);
    // The remainder of the division goes to the next line, so that the sum stays right.
    long[] remainder = new long[1];
    try {
      new FoldedLines(
              tree,
              (node, line) -> {
                long value = tree.self(node, 0) + remainder[0];
                boolean any = tree.self(node, 0) != 0 && value / divisor != 0;
                if (any) {
                  line.putInto(text).ascii(' ').number(value / divisor).ascii('\n');
                }
                remainder[0] = any ? value % divisor : value;
              })
          .write();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    text.flush();
  }

  /** The number of samples if they are counted, otherwise the main value. */
  public static int type(Profile profile, WriteOptions options) {
    boolean sampled = profile.period() > 0 && options.value().isEmpty();
    return sampled ? profile.countType().orElse(profile.mainType()) : options.type(profile);
  }

  public static long divisor(Profile profile, int type) {
    return profile.types().get(type).unit().equals("nanoseconds") ? 1000 : 1;
  }

  /** A symbol as a frame of a folded line. */
  static String text(Symbol symbol) {
    String mark =
        symbol.inlined()
            ? "_[i]"
            : switch (symbol.kind()) {
              case KERNEL -> "_[k]";
              case JIT -> "_[j]";
              default -> "";
            };
    return escape(symbol.name()) + mark;
  }

  /**
   * A {@code ;} would split the frame, and a control character the line; a number after a space at
   * the end would be read as a value.
   */
  public static String escape(String name) {
    StringBuilder text = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      text.append(c == ';' ? ':' : Character.isISOControl(c) ? ' ' : c);
    }
    String clean = text.toString().strip();
    if (clean.isEmpty()) {
      return "[empty]";
    }
    int space = clean.lastIndexOf(' ');
    boolean number = space >= 0;
    for (int i = space + 1; i < clean.length() && number; i++) {
      number = clean.charAt(i) >= '0' && clean.charAt(i) <= '9' || clean.charAt(i) == '.';
    }
    return number ? clean.substring(0, space) + "_" + clean.substring(space + 1) : clean;
  }
}
