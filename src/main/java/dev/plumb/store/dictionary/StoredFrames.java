package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.Symbol;

/**
 * What the store tells apart. A recording knows at which instruction each sample fell; nobody can
 * ask a store for that, and a thread can be preempted at any instruction, so that almost every wait
 * would be a stack of its own. The store keeps functions, and lines where debug information has
 * them.
 */
public final class StoredFrames {
  /** The collector's word for a wake-up that no thread caused. */
  private static final String INTERRUPT = "interrupt";

  /** The collector's word for a thread that would have gone on. */
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
   * What the interrupt that preempted a thread came upon; any other stack is itself. How the kernel
   * came from the interrupt to its scheduler is always the same, but would be some five stacks more
   * for each place that a thread can be preempted at.
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
   * The text of a waker's stack, without instructions. What an interrupt came upon has nothing to
   * do with the wake-up: it is left out.
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

  /** Where the kernel is entered: asm_sysvec_… and asm_common_interrupt, or arm64's el1h_64_irq. */
  private static boolean isInterruptEntry(String frame) {
    return frame.startsWith("asm_") || frame.startsWith("el1h_") || frame.startsWith("el0t_");
  }
}
