package dev.plumb.store;

import dev.plumb.profile.Frame;
import dev.plumb.profile.Symbol;

/**
 * What the store tells apart. A recording knows at which instruction each sample fell; nobody can
 * ask a store for that, and a thread can be preempted at any instruction, so that almost every wait
 * would be a stack of its own. The store keeps functions, and lines where debug information has
 * them.
 */
final class StoredNames {
  /** The collector's word for a wake-up that no thread caused. */
  private static final String INTERRUPT = "interrupt";

  private static final String UNKNOWN = "[unknown in ";

  private StoredNames() {}

  /** The frame without its instruction. */
  static Frame frame(Frame frame) {
    String name = frame.named() ? frame.name() : Symbol.of(frame).name();
    if (frame.elfAddress() == 0 && frame.offset() == 0 && name.equals(frame.name())) {
      return frame;
    }
    return new Frame(
        name,
        frame.kind(),
        frame.inlined(),
        frame.named(),
        frame.module(),
        frame.buildId(),
        0,
        0,
        frame.file(),
        frame.line());
  }

  /**
   * The text of a waker's stack, without instructions. What an interrupt came upon has nothing to
   * do with the wake-up: it is left out.
   */
  static String wakerStack(String waker, String stack) {
    StringBuilder kept = new StringBuilder(stack.length());
    for (String frame : stack.split(";", -1)) {
      kept.append(kept.isEmpty() ? "" : ";").append(withoutAddress(frame));
      if (waker.equals(INTERRUPT) && isInterruptEntry(frame)) {
        break;
      }
    }
    return kept.toString();
  }

  private static String withoutAddress(String frame) {
    int plus = frame.lastIndexOf("+0x");
    return plus > 0 && frame.startsWith(UNKNOWN) ? frame.substring(0, plus) + "]" : frame;
  }

  /** Where the kernel is entered: asm_sysvec_… and asm_common_interrupt, or arm64's el1h_64_irq. */
  private static boolean isInterruptEntry(String frame) {
    return frame.startsWith("asm_") || frame.startsWith("el1h_") || frame.startsWith("el0t_");
  }
}
