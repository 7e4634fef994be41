package dev.plumb.collect;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.collect.mode.Collector;
import dev.plumb.collect.mode.CollectorContext;
import dev.plumb.collect.raw.RawProfile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.ValueType;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * A kind of recording: what it measures and who collects it. Some modes take arguments after a
 * colon, as in {@code uprobe:libc.so.6:malloc}; {@code asked} is a mode's name with its arguments.
 *
 * @param tracepoints what it needs of the kernel
 * @param meaning what the numbers are, for what is asked for and a rate in hertz
 * @param composedOf the modes whose collectors feed it; empty if it has a collector of its own
 * @param collector makes it, for the profiles that it is to feed
 * @param obstacle why it is not possible on the running kernel although the tracepoints are there
 */
public record Mode(
    String name,
    String purpose,
    List<String> tracepoints,
    BiFunction<String, Integer, RawProfile.Meaning> meaning,
    List<String> composedOf,
    Factory collector,
    Supplier<Optional<String>> obstacle) {
  /** Makes a mode's collector. */
  interface Factory {
    Collector make(String asked, CollectorContext context, List<RawProfile> profiles);
  }

  /** A mode with a collector of its own. */
  static Mode of(
      String name,
      String purpose,
      List<String> tracepoints,
      BiFunction<String, Integer, RawProfile.Meaning> meaning,
      Factory collector) {
    return new Mode(name, purpose, tracepoints, meaning, List.of(), collector, Optional::empty);
  }

  /** The same mode, which also needs something else. */
  Mode unless(Supplier<Optional<String>> somethingElse) {
    return new Mode(name, purpose, tracepoints, meaning, composedOf, collector, somethingElse);
  }

  /** What is to be collected for what is asked for. */
  List<String> parts(String asked) {
    return composedOf.isEmpty() ? List.of(asked) : composedOf;
  }

  /** Why it is not possible on a kernel with these types; empty if it is. */
  public Optional<String> problem(Btf kernel) {
    return tracepoints.stream()
        .filter(point -> kernel.find("btf_trace_" + point, BtfKind.TYPEDEF) <= 0)
        .findFirst()
        .map(point -> "this kernel has no tracepoint " + point)
        .or(obstacle);
  }

  /** The names of what it measures. */
  public List<String> values(String asked) {
    return meaning.apply(asked, 1).types().stream().map(ValueType::name).toList();
  }

  /** The same, as Pyroscope spells them: {@code io:bytes:bytes::}. */
  public List<String> profileTypes(String asked) {
    RawProfile.Meaning all = meaning.apply(asked, 1);
    ValueType period = all.periodType();
    return all.types().stream()
        .map(
            type ->
                new ProfileType(all.name(), type.name(), type.unit(), period.name(), period.unit())
                    .id())
        .toList();
  }
}
