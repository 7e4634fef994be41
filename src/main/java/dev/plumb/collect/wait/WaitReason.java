package dev.plumb.collect.wait;

import java.util.List;

/**
 * Why a thread waits, by the kernel functions on its stack. Functions are read from the leaf up,
 * and the first rule that matches one wins: more specific functions are nearer to the leaf.
 */
enum WaitReason {
  PREEMPTED("preempted"),
  PAGE_FAULT("page fault"),
  FUTEX("futex"),
  SLEEP("sleep"),
  POLL("poll"),
  PIPE("pipe"),
  SOCKET("socket"),
  DISK("disk"),
  FILE_LOCK("file lock"),
  CHILD("child"),
  STOPPED("stopped"),
  SIGNAL("signal"),
  TERMINAL("terminal"),
  IO_URING("io_uring"),
  KERNEL_LOCK("kernel lock"),
  KERNEL_THREAD("idle kernel thread"),
  OTHER("other");

  private final String text;

  WaitReason(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /**
   * The reason of a wait.
   *
   * @param functions names of the kernel functions, leaf first, including those of the scheduler
   */
  static WaitReason of(List<String> functions, boolean preempted, boolean kernelThread) {
    if (preempted) {
      return PREEMPTED;
    }
    WaitReason found = OTHER;
    for (String function : functions) {
      WaitReason reason = of(function);
      // A disk wait inside a page fault is the fault's; a page fault is above what it waits for.
      if (reason == PAGE_FAULT && (found == OTHER || found == DISK || found == KERNEL_LOCK)) {
        return PAGE_FAULT;
      }
      if (found == OTHER) {
        found = reason;
      }
    }
    return found == OTHER && kernelThread ? KERNEL_THREAD : found;
  }

  private static WaitReason of(String f) {
    if (f.startsWith("futex_") || f.startsWith("do_futex")) {
      return FUTEX;
    }
    if (f.equals("do_nanosleep")
        || f.startsWith("hrtimer_nanosleep")
        || f.equals("msleep")
        || f.startsWith("timerfd_read")) {
      return SLEEP;
    }
    if (f.equals("ep_poll")
        || f.startsWith("do_epoll")
        || f.startsWith("do_sys_poll")
        || f.startsWith("do_poll")
        || f.startsWith("do_select")
        || f.startsWith("poll_schedule")) {
      return POLL;
    }
    if (f.startsWith("pipe_")
        || f.startsWith("anon_pipe_")
        || f.startsWith("fifo_open")
        || f.startsWith("wait_for_partner")) {
      return PIPE;
    }
    if (isSocket(f)) {
      return SOCKET;
    }
    if (isDisk(f)) {
      return DISK;
    }
    if (f.startsWith("flock_")
        || f.startsWith("posix_lock")
        || f.startsWith("locks_lock")
        || f.startsWith("fcntl_setlk")) {
      return FILE_LOCK;
    }
    return ofRest(f);
  }

  private static WaitReason ofRest(String f) {
    if (isChild(f)) {
      return CHILD;
    }
    if (f.startsWith("do_signal_stop")
        || f.startsWith("ptrace_stop")
        || f.startsWith("do_jobctl_trap")
        || f.contains("freezer")
        || f.startsWith("__refrigerator")) {
      return STOPPED;
    }
    if (f.startsWith("do_sigtimedwait")
        || f.startsWith("sigsuspend")
        || f.contains("sys_pause")
        || f.startsWith("signalfd_")) {
      return SIGNAL;
    }
    if (f.startsWith("n_tty_") || f.startsWith("tty_")) {
      return TERMINAL;
    }
    if (f.startsWith("io_cqring_wait") || f.startsWith("io_wq_") || f.startsWith("io_sq_thread")) {
      return IO_URING;
    }
    if (f.contains("handle_mm_fault")
        || f.contains("exc_page_fault")
        || f.equals("do_page_fault")
        || f.equals("do_user_addr_fault")
        || f.equals("asm_exc_page_fault")) {
      return PAGE_FAULT;
    }
    if (f.contains("mutex_lock")
        || f.startsWith("rwsem_")
        || f.startsWith("__down")
        || f.startsWith("down_")
        || f.contains("rt_mutex")
        || f.startsWith("percpu_down")) {
      return KERNEL_LOCK;
    }
    return OTHER;
  }

  /** Not all that begins with do_wait: do_wait_intr_irq is where readers of an eventfd wait. */
  private static boolean isChild(String f) {
    return f.equals("do_wait")
        || f.startsWith("kernel_wait4")
        || f.startsWith("kernel_waitid")
        || f.startsWith("wait_for_vfork")
        || f.equals("kernel_clone") // wait_for_vfork_done is mostly inlined into it
        || f.equals("_do_fork"); // its name before Linux 5.10
  }

  private static boolean isSocket(String f) {
    return f.startsWith("sk_wait_data")
        || f.startsWith("unix_stream_")
        || f.startsWith("unix_wait_")
        || f.startsWith("inet_csk_accept")
        || f.startsWith("tcp_")
        || f.startsWith("udp_")
        || f.startsWith("__skb_wait")
        || f.startsWith("__skb_recv")
        || f.startsWith("skb_recv")
        || f.startsWith("sock_")
        || f.startsWith("unix_accept")
        || f.startsWith("inet_stream_connect")
        || f.startsWith("netlink_")
        || f.startsWith("sk_stream_wait")
        || f.startsWith("vsock_");
  }

  private static boolean isDisk(String f) {
    return f.startsWith("io_schedule")
        || f.startsWith("blk_")
        || f.startsWith("folio_wait")
        || f.startsWith("wait_on_page")
        || f.startsWith("__lock_page")
        || f.startsWith("submit_bio")
        || f.startsWith("bio_wait")
        || f.startsWith("wait_on_buffer")
        || f.startsWith("__wait_on_buffer")
        || f.startsWith("jbd2_")
        || f.startsWith("filemap_")
        || f.startsWith("__filemap")
        || f.startsWith("iomap_dio")
        || f.startsWith("balance_dirty_pages");
  }
}
