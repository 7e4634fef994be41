package dev.plumb.collect.kernel;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import java.util.List;
import java.util.function.Function;

/** A place in the kernel to attach to, and the ways to do so, best first. */
public record Probe(String place, List<Way> ways) {
  /**
   * One way to attach: the program for it, and how.
   *
   * @param program its name in the object
   */
  public record Way(String program, Function<Collection, Link> attach) {}

  /** A tracepoint with typed arguments (tp_btf), else a raw one. */
  public static Probe tracepoint(String name, String typedProgram, String rawProgram) {
    return new Probe(
        name,
        List.of(
            new Way(typedProgram, c -> Links.tracing(c.program(typedProgram))),
            new Way(rawProgram, c -> Links.rawTracepoint(c.program(rawProgram), name))));
  }
}
