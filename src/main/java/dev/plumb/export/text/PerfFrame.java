package dev.plumb.export.text;

import dev.plumb.export.file.ModuleNames;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import java.util.regex.Pattern;

/**
 * One line of a call chain as perf script prints it.
 *
 * @param text the line without the space around it
 * @param module as printed; empty of an inlined frame, which does not say
 */
record PerfFrame(
    String text, long address, String symbol, long offset, String module, boolean inlined) {
  /** What stands for an empty stack. */
  static final String NO_STACK = "[no stack]";

  private static final String INLINED = " (inlined)";

  private static final Pattern DATA_ADDRESS =
      Pattern.compile("^\\s*\\p{XDigit}{1,16}\\s+(?=\\p{XDigit}{8,16}\\s+[^(\\s])");

  /** The frame, or null if the line is something else (a source line, say). */
  static PerfFrame parse(String line) {
    String text = line.strip();
    int end = text.indexOf(' ');
    int space = end < 0 ? text.length() : end;
    if (space == 0 || space > 16) {
      return null;
    }
    long address = 0;
    for (int i = 0; i < space; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0) {
        return null;
      }
      address = address << 4 | digit;
    }
    boolean inlined = text.endsWith(INLINED);
    int open = inlined ? text.length() - INLINED.length() + 1 : moduleStart(text, space);
    String module = inlined || open < 0 ? "" : text.substring(open + 1, text.length() - 1);
    String symbol = text.substring(space, open < 0 ? text.length() : open).strip();
    int plus = symbol.lastIndexOf("+0x");
    long offset = plus > 0 ? hex(symbol.substring(plus + 3)) : -1;
    return new PerfFrame(
        text,
        address,
        offset >= 0 ? symbol.substring(0, plus) : symbol,
        Math.max(offset, 0),
        module,
        inlined);
  }

  /** The frame on a sample's own line; an address that the sample is about may stand before it. */
  static PerfFrame flat(String rest) {
    return parse(DATA_ADDRESS.matcher(rest).replaceFirst(""));
  }

  /** Where the last bracket opens that closes at the end; -1 if the line ends in none. */
  private static int moduleStart(String text, int from) {
    if (!text.endsWith(")")) {
      return -1;
    }
    int nested = 0;
    for (int i = text.length() - 1; i > from; i--) {
      char c = text.charAt(i);
      nested += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (nested == 0) {
        return i;
      }
    }
    return -1;
  }

  private static long hex(String digits) {
    if (digits.isEmpty() || digits.length() > 15) {
      return -1;
    }
    long value = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = Character.digit(digits.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }

  boolean isNoStack() {
    return symbol.equals(NO_STACK);
  }

  /** The frame, in the module that was printed for it or for the frame that holds it. */
  Frame toFrame(String in) {
    FrameKind kind = ModuleNames.kind(in);
    String name = kind == FrameKind.JIT && in.endsWith(".map") ? "" : ModuleNames.name(in);
    if (name.equals("[kernel.kallsyms]")) {
      name = ModuleNames.KERNEL;
    }
    boolean named = !symbol.isEmpty() && !symbol.equals("[unknown]");
    String shown = symbol;
    if (!named) {
      String where = name.isEmpty() ? "" : " in " + name.substring(name.lastIndexOf('/') + 1);
      shown = "[unknown%s+0x%x]".formatted(where, address);
    }
    return new Frame(shown, kind, inlined, named, name, "", address, offset, "", 0);
  }
}
