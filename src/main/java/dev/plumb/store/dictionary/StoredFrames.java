package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;

/**
 * Reduces frames to what the store distinguishes. A recording has the instruction of each sample;
 * no query can ask for it, and because a thread can be preempted at any instruction, almost every
 * wait would be a stack of its own. The store keeps functions, and lines where debug information
 * has them.
 */
public final class StoredFrames {
  /** The collector's name for a wake-up that no thread caused. */
  private static final String INTERRUPT = "interrupt";

  /** The collector's name for the wait of a thread that was still runnable. */
  private static final String PREEMPTED = "[preempted]";

  private static final String UNKNOWN = "[unknown in ";

  private StoredFrames() {}

  /** The frame without its instruction. */
  public static Frame frame(Frame frame) {
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
   * The stack that an interrupt met when it preempted the thread; any other stack as it is. The
   * kernel's way from the interrupt to its scheduler is always the same, but would add some five
   * stacks for each place where a thread can be preempted.
   */
  public static int interrupted(StackTable stacks, int stack) {
    if (stacks.isEmpty(stack)) {
      return stack;
    }
    Frame leaf = stacks.frames().get(stacks.leaf(stack));
    if (leaf.kind() != FrameKind.WAITING || !leaf.name().equals(PREEMPTED)) {
      return stack;
    }
    int at = stacks.caller(stack);
    while (!stacks.isEmpty(at)) {
      Frame frame = stacks.frames().get(stacks.leaf(at));
      if (frame.kind() != FrameKind.KERNEL) {
        return stack;
      }
      at = stacks.caller(at);
      if (isInterruptEntry(frame.name())) {
        return at;
      }
    }
    return stack;
  }

  /**
   * The text of a waker's stack, without instructions and without what an interrupt met, which has
   * nothing to do with the wake-up.
   */
  public static String wakerStack(String waker, String stack) {
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

  /** The kernel's entry: asm_sysvec_… and asm_common_interrupt, or arm64's el1h_64_irq. */
  private static boolean isInterruptEntry(String frame) {
    return frame.startsWith("asm_") || frame.startsWith("el1h_") || frame.startsWith("el0t_");
  }
}
