package dev.plumb.collect.wait;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stacks of threads that wait, as kernels wrote them, and why they wait. */
class WaitReasonTest {
  @TempDir Path folder;

  /** From Linux 6.18, by {@code /proc/PID/stack} and by our own recordings; leaf first. */
  @ParameterizedTest
  @CsvSource({
    "SLEEP, schedule do_nanosleep hrtimer_nanosleep __x64_sys_nanosleep do_syscall_64",
    "SLEEP, do_wait_intr_irq timerfd_read_iter vfs_read ksys_read do_syscall_64",
    "PIPE, anon_pipe_read vfs_read ksys_read do_syscall_64",
    "PIPE, anon_pipe_write vfs_write ksys_write do_syscall_64",
    "PIPE, wait_for_partner fifo_open do_dentry_open vfs_open path_openat do_sys_openat2",
    "SOCKET, unix_stream_read_generic unix_stream_recvmsg sock_recvmsg sock_read_iter vfs_read",
    "SOCKET, schedule_timeout wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg sock_recvmsg",
    "SOCKET, wait_woken sk_stream_wait_memory tcp_sendmsg_locked tcp_sendmsg __sys_sendto",
    "SOCKET, sock_alloc_send_pskb unix_stream_sendmsg __sys_sendto __x64_sys_sendto",
    "SOCKET, __skb_wait_for_more_packets __skb_recv_udp udp_recvmsg sock_recvmsg __sys_recvfrom",
    "SOCKET, inet_csk_accept inet_accept do_accept __sys_accept4 __x64_sys_accept4",
    "FUTEX, futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex do_syscall_64",
    "POLL, schedule_hrtimeout_range poll_schedule_timeout.constprop.0 do_sys_poll __x64_sys_poll",
    "POLL, poll_schedule_timeout.constprop.0 do_select core_sys_select do_pselect.constprop.0",
    "POLL, do_epoll_wait __x64_sys_epoll_wait do_syscall_64",
    "CHILD, do_wait kernel_wait4 do_syscall_64 entry_SYSCALL_64_after_hwframe",
    "CHILD, do_wait kernel_waitid __do_sys_waitid do_syscall_64",
    "CHILD, wait_for_completion_state kernel_clone __do_sys_vfork do_syscall_64",
    "STOPPED, do_signal_stop get_signal arch_do_signal_or_restart exit_to_user_mode_loop",
    "FILE_LOCK, locks_lock_inode_wait __do_sys_flock do_syscall_64",
    "FILE_LOCK, fcntl_setlk do_fcntl __x64_sys_fcntl do_syscall_64",
    "SIGNAL, do_sigtimedwait.isra.0 __x64_sys_rt_sigtimedwait do_syscall_64",
    "SIGNAL, __do_sys_pause do_syscall_64 entry_SYSCALL_64_after_hwframe",
    "SIGNAL, signalfd_read_iter vfs_read ksys_read do_syscall_64",
    "TERMINAL, wait_woken n_tty_read tty_read vfs_read ksys_read do_syscall_64",
    "DISK, io_schedule bit_wait_io __wait_on_bit __wait_on_buffer __sync_dirty_buffer do_fsync",
    "DISK, submit_bio_wait blkdev_issue_flush ext4_sync_file do_fsync __x64_sys_fsync",
    "DISK, folio_wait_bit folio_wait_writeback __filemap_fdatawait_range ext4_sync_file do_fsync",
    "DISK, io_schedule folio_wait_bit_common filemap_get_pages filemap_read vfs_read ksys_read",
    "OTHER, do_wait_intr_irq eventfd_read vfs_read ksys_read do_syscall_64",
    "OTHER, do_msgrcv do_syscall_64 entry_SYSCALL_64_after_hwframe",
  })
  void stacksOfLinux6(WaitReason expected, String stack) {
    assertThat(reason(stack)).isEqualTo(expected);
  }

  /** Names of older kernels. */
  @ParameterizedTest
  @CsvSource({
    "FUTEX, futex_wait_queue_me futex_wait do_futex __x64_sys_futex",
    "PIPE, pipe_read new_sync_read vfs_read ksys_read",
    "PIPE, pipe_wait pipe_read __vfs_read",
    "POLL, ep_poll do_epoll_wait __x64_sys_epoll_wait",
    "CHILD, _do_fork __do_sys_vfork do_syscall_64",
    "DISK, io_schedule wait_on_page_bit_common generic_file_buffered_read ext4_file_read_iter",
    "KERNEL_LOCK, schedule_preempt_disabled __mutex_lock.constprop.0 __mutex_lock_slowpath path_openat",
    "KERNEL_LOCK, rwsem_down_read_slowpath down_read do_user_fault",
  })
  void stacksOfLinux5(WaitReason expected, String stack) {
    assertThat(reason(stack)).isEqualTo(expected);
  }

  /** What a fault waits for is the fault's, be it a disk or a lock of the address space. */
  @ParameterizedTest
  @CsvSource({
    "io_schedule folio_wait_bit_common filemap_fault __do_fault handle_mm_fault exc_page_fault",
    "rwsem_down_read_slowpath down_read do_user_addr_fault exc_page_fault asm_exc_page_fault",
  })
  void pageFaults(String stack) {
    assertThat(reason(stack)).isEqualTo(WaitReason.PAGE_FAULT);
  }

  /** userfaultfd aside, a wait for a futex word that is not there yet is still the futex's. */
  @Test
  void aFaultAboveAnotherWaitIsNot() {
    assertThat(reason("futex_do_wait futex_wait asm_exc_page_fault")).isEqualTo(WaitReason.FUTEX);
  }

  @Test
  void preemptedThreadsAndIdleKernelThreads() {
    List<String> stack = List.of("preempt_schedule_irq", "do_nanosleep");
    assertThat(WaitReason.of(stack, true, false)).isEqualTo(WaitReason.PREEMPTED);
    List<String> worker = List.of("schedule", "worker_thread", "kthread", "ret_from_fork");
    assertThat(WaitReason.of(worker, false, true)).isEqualTo(WaitReason.KERNEL_THREAD);
    assertThat(WaitReason.of(worker, false, false)).isEqualTo(WaitReason.OTHER);
    List<String> writer = List.of("io_schedule", "jbd2_journal_commit_transaction", "kthread");
    assertThat(WaitReason.of(writer, false, true)).isEqualTo(WaitReason.DISK);
    assertThat(WaitReason.of(List.of(), false, false)).isEqualTo(WaitReason.OTHER);
  }

  /** This kernel, whichever it is: programs that wait for something known. */
  @ParameterizedTest
  @CsvSource({"sleep, SLEEP", "pipe, PIPE", "socket, SOCKET", "futex, FUTEX", "poll, POLL"})
  @RequiresRoot
  void thisKernelsStacks(String kind, WaitReason expected) throws Exception {
    Path waiter = Programs.compiled("waiter");
    try (Child child = Child.start(waiter.toString(), kind, "1", "60000")) {
      assertBecomes(child.pid(), expected);
    }
  }

  @Test
  @RequiresRoot
  void thisKernelsStacksOfShells() throws Exception {
    try (Child shell = Child.start("sh", "-c", "sleep 60; true")) {
      assertBecomes(shell.pid(), WaitReason.CHILD);
    }
    try (Child stopped = Child.start("sh", "-c", "kill -STOP $$")) {
      assertBecomes(stopped.pid(), WaitReason.STOPPED);
    }
    Path fifo = folder.resolve("fifo");
    Programs.run("mkfifo", fifo.toString());
    try (Child reader = Child.start("cat", fifo.toString())) {
      assertBecomes(reader.pid(), WaitReason.PIPE);
    }
    Path lock = folder.resolve("lock");
    try (Child holder = Child.start("flock", lock.toString(), "sh", "-c", "echo held; sleep 60")) {
      holder.line();
      try (Child second = Child.start("flock", lock.toString(), "true")) {
        assertBecomes(second.pid(), WaitReason.FILE_LOCK);
      }
    }
  }

  /** It takes a moment until the process is where it waits. */
  private static void assertBecomes(int pid, WaitReason expected) throws Exception {
    List<String> functions = List.of();
    for (int i = 0; i < 500; i++) {
      functions = kernelStack(pid);
      if (!functions.isEmpty() && WaitReason.of(functions, false, false) == expected) {
        return;
      }
      Thread.sleep(10);
    }
    assertThat(WaitReason.of(functions, false, false)).as(functions.toString()).isEqualTo(expected);
  }

  private static List<String> kernelStack(int pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/stack")).stream()
        .map(line -> line.replaceFirst("^\\[<\\w+>\\] ", "").replaceFirst("\\+.*", ""))
        .toList();
  }

  private static WaitReason reason(String stack) {
    return WaitReason.of(List.of(stack.split(" ")), false, false);
  }
}
