package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.linux.proc.ByteCursor;
import dev.plumb.linux.proc.MountInfo;
import dev.plumb.linux.proc.ProcCgroup;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import dev.plumb.testing.Child;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The readers of /proc, on live processes with known answers. */
class ProcTest {
  private static final String ODD_PROGRAM =
      """
      #define _GNU_SOURCE
      #include <fcntl.h>
      #include <stdio.h>
      #include <string.h>
      #include <sys/mman.h>
      #include <sys/prctl.h>
      #include <unistd.h>
      int main(int argc, char **argv) {
        prctl(PR_SET_NAME, "a) R 1 (b\\n\\\\", 0, 0, 0);
        char name[300];
        snprintf(name, sizeof name, "%s with\\nnewline", argv[1]);
        int fd = open(name, O_RDWR | O_CREAT, 0600);
        ftruncate(fd, 8192);
        void *p = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 4096);
        unlink(name);
        printf("%lx\\n", (long) p);
        fflush(stdout);
        pause();
      }
      """;

  private final ProcReader reader = new ProcReader();

  @AfterEach
  void close() {
    reader.close();
  }

  @Test
  void readsStatAndStatusOfAnOddlyNamedProcess() {
    Path program = Fixtures.gcc("odd", ODD_PROGRAM);
    long before = SystemCalls.clockGettime(SystemCalls.CLOCK_BOOTTIME);
    try (Child child = Child.start(program.toString(), Fixtures.file("odd-file").toString())) {
      child.line();
      ProcStat stat = ProcStat.read(reader, child.pid()).orElseThrow();
      assertThat(stat.pid()).isEqualTo(child.pid());
      assertThat(stat.comm()).isEqualTo("a) R 1 (b\n\\");
      assertThat(stat.state()).isIn('S', 'R');
      assertThat(stat.ppid()).isEqualTo(ProcessCalls.getpid());
      assertThat(stat.pgrp())
          .isEqualTo(ProcStat.read(reader, ProcessCalls.getpid()).orElseThrow().pgrp());
      assertThat(stat.threads()).isEqualTo(1);
      assertThat(stat.isKernelThread()).isFalse();
      assertThat(stat.startBootNanos()).isBetween(before - 10_000_000, before + 10_000_000_000L);
      ProcStatus status = ProcStatus.read(reader, child.pid()).orElseThrow();
      assertThat(status.name()).isEqualTo("a) R 1 (b\n\\");
      assertThat(status.tgid()).isEqualTo(child.pid());
      assertThat(status.ppid()).isEqualTo(ProcessCalls.getpid());
      assertThat(status.namespacePids()).last().isEqualTo(status.innerPid());
      assertThat(ProcStat.read(reader, child.pid(), child.pid()).orElseThrow().startTicks())
          .isEqualTo(stat.startTicks());
    }
  }

  @Test
  void readsMapsAsTheyAre() throws IOException {
    Path program = Fixtures.gcc("odd", ODD_PROGRAM);
    String file = Fixtures.file("odd-file").toString();
    try (Child child = Child.start(program.toString(), file)) {
      long mapped = Long.parseLong(child.line(), 16);
      List<String> ours = new ArrayList<>();
      boolean[] seen = new boolean[1];
      assertThat(
              ProcMaps.forEach(
                  reader,
                  child.pid(),
                  m -> {
                    ours.add(written(m));
                    if (m.start() == mapped) {
                      seen[0] = true;
                      assertThat(m.path()).isEqualTo(file + " with\nnewline");
                      assertThat(m.deleted()).isTrue();
                      assertThat(m.shared()).isTrue();
                      assertThat(m.fileOffset()).isEqualTo(4096);
                    }
                  }))
          .isTrue();
      List<String> theirs = new ArrayList<>();
      for (String line : Files.readAllLines(Path.of("/proc/" + child.pid() + "/maps"))) {
        theirs.add(line.replaceAll(" +", " ").strip().replaceAll("\\\\012", "\n"));
      }
      assertThat(ours).isEqualTo(theirs);
      assertThat(seen[0]).isTrue();
    }
  }

  private static String written(ProcMaps.Line m) {
    return "%08x-%08x %s%s%s%s %08x %02x:%02x %d %s%s"
        .formatted(
            m.start(),
            m.end(),
            m.readable() ? "r" : "-",
            m.writable() ? "w" : "-",
            m.executable() ? "x" : "-",
            m.shared() ? "s" : "p",
            m.fileOffset(),
            m.deviceMajor(),
            m.deviceMinor(),
            m.inode(),
            m.path(),
            m.deleted() ? " (deleted)" : "")
        .strip();
  }

  @Test
  void refusesToBeUsedWithinItself() {
    assertThatThrownBy(
            () -> ProcMaps.forEachOwn(reader, m -> ProcStat.read(reader, ProcessCalls.getpid())))
        .isInstanceOf(IllegalStateException.class);
    assertThat(ProcStat.read(reader, ProcessCalls.getpid())).isPresent();
  }

  @Test
  void seesIdsInAnInnerPidNamespace() {
    try (Child child =
        Child.start(
            "unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "echo $$; sleep 60")) {
      assertThat(child.line()).isEqualTo("1");
      int inner =
          Arrays.stream(ProcList.pids(reader))
              .filter(
                  p -> ProcStat.read(reader, p).filter(s -> s.ppid() == child.pid()).isPresent())
              .findFirst()
              .orElseThrow();
      ProcStatus status = ProcStatus.read(reader, inner).orElseThrow();
      assertThat(status.pid()).isEqualTo(inner);
      assertThat(status.namespacePids()).endsWith(inner, 1);
      assertThat(status.innerPid()).isEqualTo(1);
      assertThat(ProcNamespaces.read(reader, inner).pid())
          .isNotEqualTo(ProcNamespaces.read(reader, child.pid()).pid());
    }
  }

  @Test
  void readsNamespacesAndLinks() throws IOException {
    int self = ProcessCalls.getpid();
    ProcNamespaces spaces = ProcNamespaces.read(reader, self);
    assertThat(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")).toString())
        .isEqualTo("mnt:[" + spaces.mount() + "]");
    assertThat(Files.getAttribute(Path.of("/proc/self/ns/net"), "unix:ino"))
        .isEqualTo(spaces.network());
    assertThat(reader.link(self, "exe"))
        .contains(Files.readSymbolicLink(Path.of("/proc/self/exe")).toString());
  }

  @Test
  void listsProcessesAndThreads() {
    int[] pids = ProcList.pids(reader);
    assertThat(pids).contains(1, ProcessCalls.getpid());
    assertThat(pids.length)
        .isCloseTo(
            (int) ProcessHandle.allProcesses().count(), org.assertj.core.data.Offset.offset(40));
    assertThat(ProcList.tids(reader, ProcessCalls.getpid()))
        .contains(ProcessCalls.getpid(), ProcessCalls.gettid());
  }

  @Test
  void answersNothingOfAProcessThatIsGone() {
    int pid;
    try (Child child = Child.start("sleep", "60")) {
      pid = child.pid();
    }
    assertThat(ProcStat.read(reader, pid)).isEmpty();
    assertThat(ProcStatus.read(reader, pid)).isEmpty();
    assertThat(ProcMaps.forEach(reader, pid, m -> {})).isFalse();
    assertThat(MountInfo.read(reader, pid)).isEmpty();
    assertThat(ProcCgroup.read(reader, pid)).isEmpty();
    assertThat(ProcNamespaces.read(reader, pid).pid()).isZero();
    assertThat(ProcList.tids(reader, pid)).isEmpty();
    assertThat(reader.link(pid, "exe")).isEmpty();
  }

  @Test
  void survivesProcessesThatEndWhileTheyAreRead() throws Exception {
    Process storm =
        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 1500 ]; do /bin/true; i=$((i+1)); done")
            .start();
    int read = 0;
    while (storm.isAlive()) {
      for (int pid : ProcList.pids(reader)) {
        if (pid != 1 && ProcStat.read(reader, pid).isPresent()) {
          readAll(pid);
          read++;
        }
      }
    }
    assertThat(read).isGreaterThan(100);
    assertThat(storm.exitValue()).isZero();
  }

  private void readAll(int pid) {
    ProcStatus.read(reader, pid);
    ProcCgroup.read(reader, pid);
    try {
      ProcMaps.forEach(reader, pid, m -> {});
      ProcNamespaces.read(reader, pid);
    } catch (SyscallException e) {
      // In the middle of an exec a process lets nobody look.
      assertThat(e.errno()).isEqualTo(Errno.EACCES);
    }
  }

  @Test
  void readsMounts() {
    List<MountInfo> mounts = MountInfo.readOwn(reader);
    assertThat(mounts).anyMatch(m -> m.mountPoint().equals("/proc") && m.type().equals("proc"));
    MountInfo parsed =
        parseMount(
            "36 35 98:0 /mnt\\0401 /a\\011b\\134c rw,noatime master:1 shared:2 - ext4 /dev/x y rw,z");
    assertThat(parsed.root()).isEqualTo("/mnt 1");
    assertThat(parsed.mountPoint()).isEqualTo("/a\tb\\c");
    assertThat(parsed.deviceMajor()).isEqualTo(98);
    assertThat(parsed.type()).isEqualTo("ext4");
    assertThat(parseMount("1 2 0:5 / /x rw - tmpfs  rw,size=4k"))
        .isEqualTo(new MountInfo(1, 2, 0, 5, "/", "/x", "rw", "tmpfs", "", "rw,size=4k"));
  }

  private static MountInfo parseMount(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return MountInfo.parse(new ByteCursor().on(bytes, 0, bytes.length), bytes);
  }

  @Test
  void readsControlGroupsOfBothVersions() throws IOException {
    ProcCgroup own = ProcCgroup.read(reader, ProcessCalls.getpid()).orElseThrow();
    List<String> lines = new ArrayList<>();
    own.entries().forEach(e -> lines.add(e.hierarchy() + ":" + e.controllers() + ":" + e.path()));
    assertThat(lines).isEqualTo(Files.readAllLines(Path.of("/proc/self/cgroup")));
    ProcCgroup both = cgroups("4:memory:/docker/abc", "2:cpu,cpuacct:/x:y", "0::/");
    assertThat(both.unified()).contains("/");
    assertThat(both.path("cpuacct")).contains("/x:y");
    assertThat(both.path("cpuset")).isEmpty();
    assertThat(both.mostSpecific()).isEqualTo("/docker/abc");
    assertThat(cgroups("0::/user.slice/a.scope").mostSpecific()).isEqualTo("/user.slice/a.scope");
  }

  private static ProcCgroup cgroups(String... lines) {
    List<ProcCgroup.Entry> entries = new ArrayList<>();
    for (String line : lines) {
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      entries.add(ProcCgroup.parse(new ByteCursor().on(bytes, 0, bytes.length), bytes));
    }
    return new ProcCgroup(entries);
  }
}
