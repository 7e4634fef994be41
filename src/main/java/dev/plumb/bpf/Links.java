package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfAttr.LinkCreate;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.Fd;
import dev.plumb.linux.kernel.Tracefs;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/** Ways to attach a program: a link where the kernel has it, else the older way. */
public final class Links {
  private static final int F_KPROBE_MULTI_RETURN = 1;
  private static final int F_UPROBE_MULTI_RETURN = 1;

  private Links() {}

  /** Runs a program whenever a perf event fires, and enables the event, which stays its owner's. */
  public static Link perfEvent(Program program, PerfEvent event) {
    return perfEvent(program, event, 0);
  }

  /** As {@link #perfEvent(Program, PerfEvent)}; the program sees {@code cookie}. */
  public static Link perfEvent(Program program, PerfEvent event, long cookie) {
    Link link =
        Feature.PERF_EVENT_LINK.present()
            ? perfEventLink(program, event, cookie, List.of())
            : perfEventIoctl(program, event, cookie, List.of(event::disable));
    event.enable();
    return link;
  }

  private static Link perfEventLink(
      Program program, PerfEvent event, long cookie, List<AutoCloseable> owned) {
    String what = program + " on " + event;
    try (Arena arena = Arena.ofConfined()) {
      Fd fd =
          attr(arena, program, ProgramKind.ATTACH_PERF_EVENT)
              .put(LinkCreate.TARGET_FD, event.fd())
              .put(LinkCreate.PERF_EVENT_COOKIE, cookie)
              .open(BpfCalls.LINK_CREATE, "LINK_CREATE, " + what);
      return new Link(what, Optional.of(fd), owned);
    }
  }

  /** The way before 5.15: the program stays until the event is closed. */
  static Link perfEventIoctl(
      Program program, PerfEvent event, long cookie, List<AutoCloseable> owned) {
    if (cookie != 0) {
      throw Feature.COOKIES.missing();
    }
    event.setBpf(program.fd());
    return new Link(program + " on " + event, Optional.empty(), owned);
  }

  /** An event that the link owns. */
  private static Link owningEvent(
      Program program, PerfEventAttr attr, int pid, int cpu, long cookie) {
    PerfEvent event = PerfEvent.open(attr, pid, cpu);
    try {
      Link link =
          Feature.PERF_EVENT_LINK.present()
              ? perfEventLink(program, event, cookie, List.of(event))
              : perfEventIoctl(program, event, cookie, List.of(event));
      event.enable();
      return link;
    } catch (RuntimeException e) {
      event.close();
      throw e;
    }
  }

  /** A raw tracepoint by its name, e.g. {@code sched_switch}. */
  public static Link rawTracepoint(Program program, String name) {
    return rawTracepointOpen(program, name, "raw tracepoint " + name);
  }

  /** A program that was loaded for its target: tp_btf, fentry, fexit, fmod_ret. */
  public static Link tracing(Program program) {
    return rawTracepointOpen(program, "", program.kind().prefix() + " " + program.attachTarget());
  }

  private static Link rawTracepointOpen(Program program, String name, String target) {
    String what = program + " on " + target;
    long fd = BpfCalls.tryRawTracepointOpen(name, program.fd());
    BpfCalls.check(fd, "RAW_TRACEPOINT_OPEN, " + what);
    return new Link(what, Optional.of(new Fd((int) fd)), List.of());
  }

  /** A tracepoint of tracefs, on all CPUs. */
  public static Link tracepoint(Program program, String category, String name) {
    return tracepoint(program, category, name, 0);
  }

  public static Link tracepoint(Program program, String category, String name, long cookie) {
    try (Tracefs tracefs = Tracefs.open()) {
      int id =
          tracefs
              .eventId(category, name)
              .orElseThrow(
                  () ->
                      new BpfException(
                          program + ": this kernel has no tracepoint " + category + ":" + name));
      // A tracepoint runs its programs on every CPU, whichever the event was opened for.
      return owningEvent(program, PerfEventAttr.tracepoint(id), PerfEvent.ANY_PROCESS, 0, cookie);
    }
  }

  /** A kernel function's entry or return. */
  public static Link kprobe(Program program, String function, boolean onReturn) {
    return kprobe(program, function, onReturn, 0);
  }

  public static Link kprobe(Program program, String function, boolean onReturn, long cookie) {
    Feature.KPROBE.require();
    return owningEvent(
        program, PerfEventAttr.kprobe(function, 0, onReturn), PerfEvent.ANY_PROCESS, 0, cookie);
  }

  /**
   * Many kernel functions at once; the program's section must be {@code kprobe.multi}. Where the
   * kernel has no such links (before 5.18, or built without fprobe), one kprobe each.
   */
  public static Link kprobeMulti(Program program, List<String> functions, boolean onReturn) {
    String what = program + " on " + functions.size() + " functions";
    if (!Feature.KPROBE_MULTI.present()) {
      return each(what, functions.size(), i -> kprobe(program, functions.get(i), onReturn));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment names = arena.allocate(8L * functions.size(), 8);
      for (int i = 0; i < functions.size(); i++) {
        names.setAtIndex(JAVA_LONG, i, arena.allocateFrom(functions.get(i)).address());
      }
      Fd fd =
          attr(arena, program, ProgramKind.ATTACH_KPROBE_MULTI)
              .put(LinkCreate.KPROBE_FLAGS, onReturn ? F_KPROBE_MULTI_RETURN : 0)
              .put(LinkCreate.KPROBE_COUNT, functions.size())
              .put(LinkCreate.KPROBE_SYMBOLS, names)
              .open(BpfCalls.LINK_CREATE, "LINK_CREATE, " + what);
      return new Link(what, Optional.of(fd), List.of());
    }
  }

  /**
   * An instruction of a file, in one process or ({@code pid} -1) in all.
   *
   * @param semaphoreOffset file offset of a USDT probe's semaphore, or 0; the kernel wants all
   *     probes at one place to say the same
   */
  public static Link uprobe(
      Program program,
      String path,
      long fileOffset,
      boolean onReturn,
      int pid,
      long semaphoreOffset) {
    return uprobe(program, path, fileOffset, onReturn, pid, semaphoreOffset, 0);
  }

  public static Link uprobe(
      Program program,
      String path,
      long fileOffset,
      boolean onReturn,
      int pid,
      long semaphoreOffset,
      long cookie) {
    Feature.UPROBE.require();
    return owningEvent(
        program,
        PerfEventAttr.uprobe(path, fileOffset, onReturn, semaphoreOffset),
        pid,
        pid < 0 ? 0 : PerfEvent.ANY_CPU,
        cookie);
  }

  /**
   * Many instructions of one file at once; the program's section must be {@code uprobe.multi}.
   * Where the kernel has no such links (before 6.6), one uprobe each.
   *
   * @param semaphoreOffsets as many as offsets, or none
   * @param cookies as many as offsets, or none
   * @param pid a process, or -1 for all
   */
  public static Link uprobeMulti(
      Program program,
      String path,
      long[] fileOffsets,
      long[] semaphoreOffsets,
      long[] cookies,
      boolean onReturn,
      int pid) {
    checkLength(semaphoreOffsets, fileOffsets, "semaphores");
    checkLength(cookies, fileOffsets, "cookies");
    String what = program + " on " + fileOffsets.length + " places of " + path;
    if (!Feature.UPROBE_MULTI.present()) {
      return each(
          what,
          fileOffsets.length,
          i ->
              uprobe(
                  program,
                  path,
                  fileOffsets[i],
                  onReturn,
                  pid,
                  semaphoreOffsets.length == 0 ? 0 : semaphoreOffsets[i],
                  cookies.length == 0 ? 0 : cookies[i]));
    }
    try (Arena arena = Arena.ofConfined()) {
      Fd fd =
          attr(arena, program, ProgramKind.ATTACH_UPROBE_MULTI)
              .put(LinkCreate.UPROBE_PATH, arena.allocateFrom(path))
              .put(LinkCreate.UPROBE_OFFSETS, arena.allocateFrom(JAVA_LONG, fileOffsets))
              .put(LinkCreate.UPROBE_SEMAPHORES, arena.allocateFrom(JAVA_LONG, semaphoreOffsets))
              .put(LinkCreate.UPROBE_COOKIES, arena.allocateFrom(JAVA_LONG, cookies))
              .put(LinkCreate.UPROBE_COUNT, fileOffsets.length)
              .put(LinkCreate.UPROBE_FLAGS, onReturn ? F_UPROBE_MULTI_RETURN : 0)
              .put(LinkCreate.UPROBE_PID, Math.max(pid, 0))
              .open(BpfCalls.LINK_CREATE, "LINK_CREATE, " + what);
      return new Link(what, Optional.of(fd), List.of());
    }
  }

  private static BpfAttr attr(Arena arena, Program program, int attachType) {
    return BpfAttr.in(arena)
        .put(LinkCreate.PROGRAM_FD, program.fd())
        .put(LinkCreate.ATTACH_TYPE, attachType);
  }

  /** Many links that are closed as one; if one of them fails, none stays. */
  static Link each(String what, int count, IntFunction<Link> attach) {
    List<AutoCloseable> links = new ArrayList<>();
    Link all = new Link(what, Optional.empty(), links);
    try {
      for (int i = 0; i < count; i++) {
        links.add(attach.apply(i));
      }
      return all;
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private static void checkLength(long[] some, long[] all, String what) {
    if (some.length != 0 && some.length != all.length) {
      throw new IllegalArgumentException(
          some.length + " " + what + " for " + all.length + " places");
    }
  }

  /** An iterator over all that it can go over; read it by {@link Link#readIterator()}. */
  public static Link iter(Program program) {
    return iter(program, new int[0]);
  }

  /** An iterator over a map's entries. */
  public static Link iterMap(Program program, BpfMap map) {
    return iter(program, new int[] {map.fd(), 0, 0, 0});
  }

  /** An iterator over the threads of one process, or over what they have. Since Linux 6.1. */
  public static Link iterProcess(Program program, int pid) {
    return iter(program, new int[] {0, pid, 0, 0});
  }

  /** union bpf_iter_link_info: map_fd 0; or tid 0, pid 4, pid_fd 8. */
  private static Link iter(Program program, int[] linkInfo) {
    String what = program + " over " + program.attachTarget();
    try (Arena arena = Arena.ofConfined()) {
      Fd fd =
          attr(arena, program, ProgramKind.ATTACH_TRACE_ITER)
              .put(LinkCreate.ITERATOR_INFO, arena.allocateFrom(JAVA_INT, linkInfo))
              .put(LinkCreate.ITERATOR_INFO_SIZE, 4L * linkInfo.length)
              .open(BpfCalls.LINK_CREATE, "LINK_CREATE, " + what);
      return new Link(what, Optional.of(fd), List.of());
    }
  }
}
