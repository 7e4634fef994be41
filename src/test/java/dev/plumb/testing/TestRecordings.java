package dev.plumb.testing;

import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Recordings with known answers. */
public final class TestRecordings {
  public static final long START = 1_763_180_000_000_000_000L;
  public static final long PERIOD = 10_101_010;

  private TestRecordings() {}

  /** Two modes, all kinds of frames, awkward names, incomplete stacks, labels, timestamps. */
  public static Recording varied() {
    return varied(60, 4_000);
  }

  public static Recording varied(int stackCount, int sampleCount) {
    Random random = new Random(7);
    StackTable.Builder table = new StackTable.Builder();
    int[] stacks = new int[stackCount];
    for (int i = 0; i < stackCount; i++) {
      stacks[i] = stack(table, random, i);
    }
    List<ThreadInfo> threads = threads();
    CompactTimelineBuilder times = CompactTimeline.builder();
    Profile.Builder cpu = cpuBuilder();
    for (int i = 0; i < sampleCount; i++) {
      int at = (int) Math.abs(random.nextGaussian() * stackCount / 3) % stackCount;
      int thread = cpu.thread(threads.get(at % threads.size()));
      int row = cpu.row(stacks[at], thread, cpu.labels(Labels.NONE));
      cpu.add(row, 0, 1);
      cpu.add(row, 1, PERIOD);
      times.append(START + i * 5_050_505L + random.nextInt(9_000), row, i % 3, PERIOD);
    }
    StackTable shared = table.build();
    Quality quality =
        new Quality(
            sampleCount,
            Map.of("ring buffer full", 12L),
            Map.of(StackEnd.NO_FRAME_POINTER.text(), 31L),
            Map.of("libgrüße.so", 7L, "a.out", 2L),
            99,
            98.7);
    Profile offcpu = offcpu(random, stacks, threads, shared);
    return new Recording(
        START,
        20_000_000_000L,
        List.of(cpu.build(shared, times.build(), quality), offcpu),
        new TreeMap<>(Map.of("host", "box-ä", "kernel", "6.18", "command", "plumb record")));
  }

  public static Profile.Builder cpuBuilder() {
    return new Profile.Builder(
        "cpu",
        "process_cpu",
        List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
        1,
        new ValueType("cpu", "nanoseconds"),
        PERIOD);
  }

  private static Profile offcpu(
      Random random, int[] stacks, List<ThreadInfo> threads, StackTable shared) {
    Profile.Builder offcpu =
        new Profile.Builder(
            "offcpu",
            "off_cpu",
            List.of(new ValueType("time", "nanoseconds"), new ValueType("blocks", "count")),
            0,
            new ValueType("time", "nanoseconds"),
            0);
    for (int i = 0; i < 500; i++) {
      int at = random.nextInt(stacks.length);
      String reason = List.of("futex", "sleep", "disk").get(at % 3);
      int row =
          offcpu.row(
              stacks[at],
              offcpu.thread(threads.get(at % threads.size())),
              offcpu.labels(Labels.of("reason", reason, "state", at % 2 == 0 ? "S" : "D")));
      offcpu.add(row, 0, 1_000L + random.nextInt(90_000_000));
      offcpu.add(row, 1, 1);
    }
    Quality quality = new Quality(500, Map.of(), Map.of(), Map.of(), 0, 0);
    return offcpu.build(shared, Timeline.EMPTY, quality);
  }

  private static List<ThreadInfo> threads() {
    return List.of(
        new ThreadInfo(100, 100, 100, START - 5, "spin", "spin", "/user.slice/a.scope"),
        new ThreadInfo(200, 201, 3, START - 9, "C2 CompilerThre", "java", "/docker/abc"),
        new ThreadInfo(200, 202, 3, START - 9, "http-nio-8080-e", "java", "/docker/abc"),
        new ThreadInfo(300, 300, 300, 0, "my app;x", "my app;x", ""),
        new ThreadInfo(12, 12, 12, 0, "kworker/0:1", "kworker/0:1", ""));
  }

  /** Shared callers, so that trees have inner nodes; some recursion; one empty stack. */
  private static int stack(StackTable.Builder table, Random random, int number) {
    if (number == 11) {
      return table.stack(new int[0], 0, StackEnd.UNREADABLE);
    }
    int depth = 2 + random.nextInt(12);
    int[] rootFirst = new int[depth + 4];
    int count = 0;
    for (int i = 0; i < depth; i++) {
      int choice = i < 2 ? number % 5 : random.nextInt(40);
      rootFirst[count++] = table.frame(user(i == 0 ? 0 : choice, i));
    }
    if (number % 3 == 0) {
      Frame base = user(3, 1);
      rootFirst[count++] = table.frame(base);
      rootFirst[count++] = table.frame(inlined("inner<int, 3>", base, 20));
      rootFirst[count++] = table.frame(inlined("innermost", base, 21));
    }
    if (number % 4 == 1) {
      rootFirst[count++] = table.frame(kernel("entry_SYSCALL_64_after_hwframe", 0x67));
      rootFirst[count - 1] = table.frame(kernel("do_syscall_64", 0x56));
    }
    if (number % 10 == 2) {
      rootFirst[count++] = table.frame(Frame.ofName("[futex]", FrameKind.WAITING));
    }
    int[] leafFirst = new int[count];
    for (int i = 0; i < count; i++) {
      leafFirst[i] = rootFirst[count - 1 - i];
    }
    return table.stack(
        leafFirst, count, number % 9 == 4 ? StackEnd.NO_FRAME_POINTER : StackEnd.WHOLE);
  }

  private static Frame kernel(String name, int offset) {
    return new Frame(
        name,
        FrameKind.KERNEL,
        false,
        true,
        "[kernel]",
        "",
        0xffffffff81000000L + name.hashCode() % 0x1000 + offset,
        offset,
        "",
        0);
  }

  private static Frame inlined(String name, Frame base, int line) {
    return new Frame(
        name,
        base.kind(),
        true,
        true,
        base.module(),
        base.buildId(),
        base.elfAddress(),
        0,
        "inner.h",
        line);
  }

  private static Frame user(int choice, int depth) {
    return switch (choice % 8) {
      case 0 -> native_("main", "spin", 0x1139 + depth, "main.c", 10 + depth);
      case 1 -> native_("operator()(int; const char*)", "libstdc++.so.6", 0x8000 + choice, "", 0);
      case 2 ->
          new Frame(
              "java.lang.Thread.run", FrameKind.JIT, false, true, "", "", 0, 0, "Thread.java", 840);
      case 3 -> native_("hot path 42", "libhot.so", 0x2000 + choice, "hot.c", choice);
      case 4 ->
          new Frame(
              "[unknown in libgrüße.so+0x" + Integer.toHexString(0x400 + choice) + "]",
              FrameKind.NATIVE,
              false,
              false,
              "libgrüße.so",
              "00ff",
              0x400 + choice,
              0,
              "",
              0);
      case 5 ->
          new Frame(
              "handler <module>",
              FrameKind.INTERPRETED,
              false,
              true,
              "app.py",
              "",
              0,
              0,
              "app.py",
              choice);
      case 6 -> native_("f" + choice + "\n<script>\"&'", "a.out", 0x3000 + choice, "", 0);
      default -> native_("worker_" + choice, "spin", 0x5000 + choice * 16, "spin.c", choice);
    };
  }

  private static Frame native_(String name, String module, long address, String file, int line) {
    return new Frame(
        name, FrameKind.NATIVE, false, true, module, "abcdef0123456789", address, 4, file, line);
  }
}
