package dev.plumb.collect.mode;

import dev.plumb.collect.kernel.KernelSum;

/** A mode whose events are added up in the kernel. */
public interface SumTaker {
  /** Takes what several events with the same stack, thread and detail amount to. */
  void takeSum(KernelSum sum);
}
