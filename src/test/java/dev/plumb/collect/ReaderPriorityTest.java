package dev.plumb.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.linux.SchedulingCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReaderPriorityTest {
  private static final int NICE = 18;
  private static final int POLICY = 40;
  private static final int SCHED_OTHER = 0;
  private static final int SCHED_RR = 2;

  @Test
  void raisedAheadOfAllThatShareTimeAndBackAgain() throws Exception {
    assumeTrue(mayRaise(), "needs CAP_SYS_NICE");
    int nice = ownStat(NICE);
    ReaderPriority priority = new ReaderPriority();
    priority.raise();
    try {
      assertEquals(SCHED_RR, ownStat(POLICY));
      assertEquals(1, raisedThreadsNamed("VM Thread"));
    } finally {
      priority.lower();
    }
    assertEquals(SCHED_OTHER, ownStat(POLICY));
    assertEquals(0, raisedThreadsNamed("VM Thread"));
    assertEquals(nice, ownStat(NICE));
  }

  @Test
  void whatIsStartedMeanwhileDoesNotInheritIt() throws Exception {
    assumeTrue(mayRaise(), "needs CAP_SYS_NICE");
    ReaderPriority priority = new ReaderPriority();
    priority.raise();
    try {
      Process child = new ProcessBuilder("cat", "/proc/self/stat").start();
      String stat = new String(child.getInputStream().readAllBytes());
      assertEquals(0, child.waitFor());
      assertEquals(SCHED_OTHER, field(stat, POLICY));
    } finally {
      priority.lower();
    }
  }

  private static boolean mayRaise() {
    boolean may = SchedulingCalls.trySetRealTime(0) == 0;
    SchedulingCalls.trySetTimeShared(0);
    return may;
  }

  private static int ownStat(int field) throws IOException {
    return field(Files.readString(Path.of("/proc/thread-self/stat")), field);
  }

  private static int raisedThreadsNamed(String name) throws IOException {
    int found = 0;
    try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        String stat = Files.readString(task.resolve("stat"));
        if (stat.contains("(" + name + ")") && field(stat, POLICY) == SCHED_RR) {
          found++;
        }
      }
    }
    return found;
  }

  /** Counted from 0, as proc_pid_stat(5) less one; those up to the name are not asked for. */
  private static int field(String stat, int number) {
    String[] behindName = stat.substring(stat.lastIndexOf(')') + 2).trim().split(" ");
    assertTrue(behindName.length > number - 2, stat);
    return Integer.parseInt(behindName[number - 2]);
  }
}
