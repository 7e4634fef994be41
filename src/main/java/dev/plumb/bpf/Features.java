package dev.plumb.bpf;

/** What this kernel can do, one question a method; {@link Feature} lists them all. */
public final class Features {
  private Features() {}

  public static boolean ringBuffer() {
    return Feature.RING_BUFFER.present();
  }

  public static boolean batchMapCalls() {
    return Feature.BATCH_MAP_CALLS.present();
  }

  public static boolean perCpuArrayBatch() {
    return Feature.PER_CPU_ARRAY_BATCH.present();
  }

  public static boolean perfEventLink() {
    return Feature.PERF_EVENT_LINK.present();
  }

  public static boolean kprobe() {
    return Feature.KPROBE.present();
  }

  public static boolean uprobe() {
    return Feature.UPROBE.present();
  }

  public static boolean kprobeMulti() {
    return Feature.KPROBE_MULTI.present();
  }

  public static boolean uprobeMulti() {
    return Feature.UPROBE_MULTI.present();
  }

  public static boolean typedTracepoint() {
    return Feature.TYPED_TRACEPOINT.present();
  }

  public static boolean fentry() {
    return Feature.FENTRY.present();
  }

  public static boolean taskIterator() {
    return Feature.TASK_ITERATOR.present();
  }

  public static boolean taskVmaIterator() {
    return Feature.TASK_VMA_ITERATOR.present();
  }

  public static boolean cookies() {
    return Feature.COOKIES.present();
  }

  public static boolean bpfLoop() {
    return Feature.BPF_LOOP.present();
  }

  public static boolean forEachMapElem() {
    return Feature.FOR_EACH_MAP_ELEM.present();
  }

  public static boolean taskPtRegs() {
    return Feature.TASK_PT_REGS.present();
  }

  public static boolean getTaskStack() {
    return Feature.GET_TASK_STACK.present();
  }

  public static boolean findVma() {
    return Feature.FIND_VMA.present();
  }

  public static boolean copyFromUserTask() {
    return Feature.COPY_FROM_USER_TASK.present();
  }

  public static boolean statistics() {
    return Feature.STATISTICS.present();
  }

  /** Any helper, by its number in the kernel's {@code bpf.h}, in a type of programs. */
  public static boolean helper(int programType, int helper) {
    return FeatureProbes.helper(programType, helper);
  }
}
