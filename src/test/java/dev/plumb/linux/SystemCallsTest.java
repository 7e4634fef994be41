package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.testing.Child;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** System calls on real files and processes: what they return, and that they own what they open. */
class SystemCallsTest {
  private static final int RLIMIT_NOFILE = 7;
  private static final int SIGTERM = 15;

  @TempDir Path folder;

  @Test
  void writesAndReadsAFile() throws Exception {
    Path file = folder.resolve("file");
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDWR | SystemCalls.O_CREAT);
        Arena arena = Arena.ofConfined()) {
      assertThat(SystemCalls.tryWrite(fd.number(), ascii(arena, "hello, world"))).isEqualTo(12);
      MemorySegment buffer = arena.allocate(64);
      assertThat(SystemCalls.tryPread(fd.number(), buffer, 7)).isEqualTo(5);
      assertThat(text(buffer, 5)).isEqualTo("world");
      assertThat(SystemCalls.tryRead(fd.number(), buffer)).as("at the end").isZero();
      assertThat(SystemCalls.tryPread(fd.number(), buffer, 100)).isZero();
    }
    assertThat(file).hasContent("hello, world");
    assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
  }

  @Test
  void theKernelsClockIsTheJvms() {
    long before = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    long between = Clock.monotonic();
    long after = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    assertThat(between).isBetween(before, after);
  }

  @Test
  void failuresAreNumbersWhereTheyAreAnswers() {
    String missing = folder.resolve("missing").toString();
    assertThat(SystemCalls.tryOpen(missing, SystemCalls.O_RDONLY, 0)).isEqualTo(-Errno.ENOENT);
    try (Fd directory = SystemCalls.open(folder.toString(), SystemCalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      assertThat(SystemCalls.tryRead(directory.number(), arena.allocate(8)))
          .isEqualTo(-Errno.EISDIR);
      assertThat(SystemCalls.tryWrite(directory.number(), arena.allocate(8)))
          .isEqualTo(-Errno.EBADF);
    }
    assertThat(ProcessCalls.tryKill(99_999_999, 0)).isEqualTo(-Errno.ESRCH);
  }

  /** What is opened must not reach programs that somebody else starts. */
  @Test
  void descriptorsCloseOnExec() throws Exception {
    try (Fd file = SystemCalls.open("/dev/null", SystemCalls.O_RDONLY);
        Fd event = SystemCalls.eventfd();
        Fd epoll = SystemCalls.epollCreate()) {
      for (Fd fd : List.of(file, event, epoll)) {
        String flags =
            Files.readAllLines(Path.of("/proc/self/fdinfo/" + fd.number())).stream()
                .filter(line -> line.startsWith("flags:"))
                .findFirst()
                .orElseThrow();
        assertThat(Long.parseLong(flags.split("\\s+")[1], 8) & SystemCalls.O_CLOEXEC)
            .as(fd + " " + flags)
            .isNotZero();
      }
    }
  }

  @Test
  void knowsWhoWeAre() throws Exception {
    assertThat(ProcessCalls.getpid()).isEqualTo((int) ProcessHandle.current().pid());
    assertThat(Files.readSymbolicLink(Path.of("/proc/thread-self")))
        .hasToString(ProcessCalls.getpid() + "/task/" + ProcessCalls.gettid());
  }

  @Test
  void clocksGoForward() {
    long first = SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
    assertThat(SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC)).isGreaterThan(first);
    assertThatThrownBy(() -> SystemCalls.clockGettime(9999))
        .isInstanceOf(SyscallException.class)
        .hasMessage("clock_gettime(9999): EINVAL");
  }

  @Test
  void limitIsTheOneThatProcShows() throws Exception {
    String line =
        Files.readAllLines(Path.of("/proc/self/limits")).stream()
            .filter(l -> l.startsWith("Max open files"))
            .findFirst()
            .orElseThrow();
    assertThat(ProcessCalls.getrlimit(RLIMIT_NOFILE))
        .isEqualTo(Long.parseLong(line.split("\\s+")[3]));
  }

  @Test
  void readsAnotherProcesssMemory() throws Exception {
    try (Child child = Child.start("sleep", "60");
        Arena arena = Arena.ofConfined()) {
      long stack =
          Files.readAllLines(Path.of("/proc/" + child.pid() + "/maps")).stream()
              .filter(line -> line.endsWith("[stack]"))
              .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf('-')), 16))
              .findFirst()
              .orElseThrow();
      MemorySegment buffer = arena.allocate(16);
      assertThat(ProcessCalls.tryProcessVmRead(child.pid(), stack, buffer)).isEqualTo(16);
      assertThat(ProcessCalls.tryProcessVmRead(child.pid(), 8, buffer)).isEqualTo(-Errno.EFAULT);
    }
  }

  @Test
  void signalsAProcessByItsDescriptor() throws Exception {
    assertThat(ProcessCalls.tryPidfdOpen(99_999_999)).isNegative();
    try (Child child = Child.start("sleep", "60");
        Fd pidfd = new Fd(ProcessCalls.tryPidfdOpen(child.pid()));
        Epoll epoll = new Epoll()) {
      epoll.add(pidfd.number(), 1);
      assertThat(epoll.await(0)).isZero();
      assertThat(ProcessCalls.tryPidfdSendSignal(pidfd, SIGTERM)).isZero();
      assertThat(epoll.await(10_000)).as("the process ended").isEqualTo(1);
    }
  }

  @Test
  void identityIsThatOfStat() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "12345");
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY)) {
      FileIdentity identity = SystemCalls.statx(fd);
      long inode = ((Number) Files.getAttribute(file, "unix:ino")).longValue();
      long device = ((Number) Files.getAttribute(file, "unix:dev")).longValue();
      assertThat(identity.inode()).isEqualTo(inode);
      assertThat(identity.size()).isEqualTo(5);
      assertThat(identity.deviceMinor()).isEqualTo((int) (device & 0xff | device >> 12 & 0xfff00));
      assertThat(identity.deviceMajor()).isEqualTo((int) (device >> 8 & 0xfff));
      assertThat(identity.modifiedNanos())
          .isEqualTo(Files.getLastModifiedTime(file).to(java.util.concurrent.TimeUnit.NANOSECONDS));
      assertThat(identity.sameInode(identity.deviceMajor(), identity.deviceMinor(), inode))
          .isTrue();
      assertThat(identity.sameInode(identity.deviceMajor(), identity.deviceMinor(), inode + 1))
          .isFalse();
    }
  }

  private static MemorySegment ascii(Arena arena, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private static String text(MemorySegment buffer, int length) {
    return new String(
        buffer.asSlice(0, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE),
        StandardCharsets.US_ASCII);
  }
}
