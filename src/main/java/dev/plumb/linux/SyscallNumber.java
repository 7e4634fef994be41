package dev.plumb.linux;

/** System call numbers of the two architectures that Plumb supports. */
enum SyscallNumber {
  READ(0, 63),
  WRITE(1, 64),
  CLOSE(3, 57),
  FSTAT(5, 80),
  MMAP(9, 222),
  MUNMAP(11, 215),
  MADVISE(28, 233),
  IOCTL(16, 29),
  PREAD64(17, 67),
  GETPID(39, 172),
  KILL(62, 129),
  RT_SIGACTION(13, 134),
  FCNTL(72, 25),
  UMASK(95, 166),
  READLINKAT(267, 78),
  GETDENTS64(217, 61),
  GETTID(186, 178),
  PTRACE(101, 117),
  WAIT4(61, 260),
  SCHED_SETSCHEDULER(144, 119),
  CLOCK_GETTIME(228, 113),
  WAITID(247, 95),
  OPENAT(257, 56),
  UNSHARE(272, 97),
  EPOLL_CTL(233, 21),
  EPOLL_PWAIT(281, 22),
  EVENTFD2(290, 19),
  EPOLL_CREATE1(291, 20),
  PERF_EVENT_OPEN(298, 241),
  PRLIMIT64(302, 261),
  GETPRIORITY(140, 141),
  SETPRIORITY(141, 140),
  SETSID(112, 157),
  SETNS(308, 268),
  SCHED_SETATTR(314, 274),
  PROCESS_VM_READV(310, 270),
  BPF(321, 280),
  STATX(332, 291),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  PIDFD_SEND_SIGNAL(424, 424),
  FSOPEN(430, 430),
  FSCONFIG(431, 431),
  FSMOUNT(432, 432),
  PIDFD_OPEN(434, 434),
  OPENAT2(437, 437);

  static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  private final int x86;
  private final int arm;

  SyscallNumber(int x86, int arm) {
    this.x86 = x86;
    this.arm = arm;
  }

  int value() {
    return ARM ? arm : x86;
  }
}
