package dev.plumb.collect.mode;

import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.kernel.KernelTracepoints;
import dev.plumb.collect.kernel.Probe;
import java.util.List;

/** io_uring requests that move bytes: where the kernel reports them, and their names. */
final class UringOperations {
  private static final String SUBMIT = "io_uring_submit_req";

  /** Before 6.4; before 6.0 it does not say which request it is, which takes more arguments. */
  private static final String OLDER_SUBMIT = "io_uring_submit_sqe";

  private static final String COMPLETE = "io_uring_complete";

  /** The ring, the request, and the answer, or all that is in it. */
  private static final int ARGUMENTS_WITH_ANSWER = 3;

  private UringOperations() {}

  /** Empty if this kernel does not report enough. */
  static List<Probe> probes() {
    if (!KernelTracepoints.exists(COMPLETE)) {
      return List.of();
    }
    Probe complete = Probe.tracepoint(COMPLETE, "on_complete_btf", "on_complete_raw");
    if (KernelTracepoints.exists(SUBMIT)) {
      return List.of(complete, Probe.tracepoint(SUBMIT, "on_submit_btf", "on_submit_raw"));
    }
    return KernelTracepoints.arguments(OLDER_SUBMIT) == 2
        ? List.of(
            complete, Probe.tracepoint(OLDER_SUBMIT, "on_submit_sqe_btf", "on_submit_sqe_raw"))
        : List.of();
  }

  static void settings(CollectionSpec spec) {
    boolean apart = KernelTracepoints.arguments(COMPLETE) > ARGUMENTS_WITH_ANSWER;
    spec.setVariable("result_apart", apart ? 1 : 0);
  }

  /** The kernel's {@code enum io_uring_op}, those that {@code io.bpf.c} counts. */
  static String name(int operation) {
    String name =
        switch (operation) {
          case 1 -> "readv";
          case 2 -> "writev";
          case 3 -> "fsync";
          case 4 -> "read fixed";
          case 5 -> "write fixed";
          case 8 -> "sync file range";
          case 9 -> "sendmsg";
          case 10 -> "recvmsg";
          case 22 -> "read";
          case 23 -> "write";
          case 26 -> "send";
          case 27 -> "recv";
          case 30 -> "splice";
          case 47 -> "send zc";
          case 48 -> "sendmsg zc";
          case 49 -> "read multishot";
          case 58 -> "recv zc";
          case 60 -> "readv fixed";
          case 61 -> "writev fixed";
          default -> "operation " + Integer.toUnsignedString(operation & 0xff);
        };
    return "io_uring " + name;
  }
}
