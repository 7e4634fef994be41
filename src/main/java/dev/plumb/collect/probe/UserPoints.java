package dev.plumb.collect.probe;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Feature;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.Program;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.code.Libraries;
import dev.plumb.collect.code.Library;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.options.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Instructions of programs and libraries, in all processes that run them. */
final class UserPoints implements ProbePoints {
  private static final int ALL_PROCESSES = -1;

  private final List<ProbeSite> places;
  private final boolean timed;
  private final boolean usdt;

  /** Whether the return address is where the stack pointer points to. */
  private final boolean atEntry;

  private UserPoints(List<ProbeSite> places, boolean timed, boolean usdt, boolean atEntry) {
    this.atEntry = atEntry && System.getProperty("os.arch").equals("amd64");
    this.places = List.copyOf(places);
    this.timed = timed;
    this.usdt = usdt;
    Feature.UPROBE.require();
  }

  static UserPoints of(ProbeSpec.UserFunction function, Target target) {
    return new UserPoints(
        inAll(function.library(), target, library -> FunctionSites.find(library, function)),
        function.timed(),
        false,
        function.offset() == 0);
  }

  static UserPoints of(ProbeSpec.Usdt usdt, Target target) {
    return new UserPoints(
        inAll(usdt.library(), target, library -> UsdtSites.find(library, usdt)),
        false,
        true,
        false);
  }

  /** Processes may have mapped several files of one name; one of them must have it. */
  private static List<ProbeSite> inAll(
      String name, Target target, Function<Library, List<ProbeSite>> find) {
    List<Integer> pids = target.pids().isEmpty() ? target.tids() : target.pids();
    List<ProbeSite> places = new ArrayList<>();
    ProbeException problem = null;
    for (Library library : Libraries.find(name, pids)) {
      try {
        places.addAll(find.apply(library));
      } catch (ProbeException e) {
        problem = e;
      }
    }
    if (places.isEmpty() && problem != null) {
      throw problem;
    }
    return places;
  }

  @Override
  public List<ProbeArguments> scopes() {
    return places.stream()
        .map(
            place ->
                usdt
                    ? new ProbeArguments(place.name(), place.arguments())
                    : ProbeArguments.ofFunction(place.name()))
        .toList();
  }

  private boolean many() {
    return places.size() > 1 && Feature.UPROBE_MULTI.present();
  }

  @Override
  public void prepare(CollectionSpec spec) {
    spec.program(many() ? "on_uprobes" : "on_uprobe").autoload(true);
    spec.program(many() ? "on_uretprobes" : "on_uretprobe").autoload(timed);
    spec.setVariable("at_entry", atEntry);
  }

  @Override
  public void attach(
      Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached) {
    if (timed) {
      attach(
          programs.program(many() ? "on_uretprobes" : "on_uretprobe"),
          true,
          points,
          cookies,
          attached);
    }
    attach(programs.program(many() ? "on_uprobes" : "on_uprobe"), false, points, cookies, attached);
  }

  private void attach(
      Program program,
      boolean onReturn,
      int[] points,
      long[] cookies,
      List<AutoCloseable> attached) {
    if (!many()) {
      for (int i = 0; i < points.length; i++) {
        ProbeSite place = places.get(points[i]);
        attached.add(
            Links.uprobe(
                program,
                place.library().path().toString(),
                place.fileOffset(),
                onReturn,
                ALL_PROCESSES,
                place.semaphoreOffset(),
                cookies.length == 0 ? 0 : cookies[i]));
      }
      return;
    }
    Map<String, List<Integer>> byFile = new LinkedHashMap<>();
    for (int i = 0; i < points.length; i++) {
      String path = places.get(points[i]).library().path().toString();
      byFile.computeIfAbsent(path, p -> new ArrayList<>()).add(i);
    }
    byFile.forEach(
        (path, all) ->
            attached.add(
                Links.uprobeMulti(
                    program,
                    path,
                    all.stream().mapToLong(i -> places.get(points[i]).fileOffset()).toArray(),
                    usdt
                        ? all.stream()
                            .mapToLong(i -> places.get(points[i]).semaphoreOffset())
                            .toArray()
                        : new long[0],
                    all.stream().mapToLong(i -> cookies[i]).toArray(),
                    onReturn,
                    ALL_PROCESSES)));
  }
}
