package dev.plumb.collect.stop;

import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.KernelFile;
import dev.plumb.linux.proc.Capabilities;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;

/** Why a thread may not be traced, and what to do about it. */
final class TracingRefusal {
  private static final String SCOPE = "/proc/sys/kernel/yama/ptrace_scope";

  private TracingRefusal() {}

  static SyscallException of(ProcReader reader, int pid, int tid, int errno) {
    String call = "ptrace(PTRACE_SEIZE, " + tid + ")";
    return errno == Errno.EPERM
        ? new SyscallException(call, errno, reason(reader, pid, tid))
        : new SyscallException(call, errno);
  }

  private static String reason(ProcReader reader, int pid, int tid) {
    int tracer = ProcStatus.read(reader, tid).map(ProcStatus::tracerPid).orElse(0);
    if (tracer != 0) {
      String name = ProcStat.read(reader, tracer).map(s -> " (" + s.comm() + ")").orElse("");
      return "process %d%s already traces it, and a process can have only one tracer; stop that one first"
          .formatted(tracer, name);
    }
    String scope = KernelFile.read(SCOPE).orElse("0");
    if (scope.equals("3")) {
      return SCOPE + " is 3: tracing is disabled until the next boot with another value";
    }
    if (Capabilities.effective().has("CAP_SYS_PTRACE")) {
      return "this process has no privileges in the user namespace of process %d, or a security module forbids tracing; run it as the host's root"
          .formatted(pid);
    }
    return "reading process %d needs CAP_SYS_PTRACE%s; run as root"
        .formatted(
            pid,
            scope.equals("0") ? ", or to be the same user" : " (" + SCOPE + " is " + scope + ")");
  }
}
