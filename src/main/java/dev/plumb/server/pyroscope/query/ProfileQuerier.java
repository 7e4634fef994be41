package dev.plumb.server.pyroscope.query;

import dev.plumb.export.pprof.PprofBytes;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.CallTreeBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.http.Refusal;
import dev.plumb.server.pyroscope.wire.PyroscopeFields;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.TimeRange;
import java.util.Optional;

/** The methods of querier.v1.QuerierService that return stacks and profile types. */
public final class ProfileQuerier {
  private static final int TREE_FORMAT = 2;
  private static final int DOT_FORMAT = 3;
  private static final int PPROF_FORMAT = 4;

  private final History history;

  public ProfileQuerier(History history) {
    this.history = history;
  }

  public byte[] profileTypes(byte[] request) {
    ProtoIn in = new ProtoIn(request);
    long start = 0;
    long end = 0;
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.PROFILE_TYPES_START -> start = in.number();
        case PyroscopeFields.PROFILE_TYPES_END -> end = in.number();
        default -> {}
      }
    }
    ProtoOut out = new ProtoOut();
    history.types(SelectRequest.anyRange(start, end)).stream()
        .sorted(java.util.Comparator.comparing(ProfileType::id))
        .forEach(type -> out.message(PyroscopeFields.PROFILE_TYPES_TYPE, encode(type)));
    return out.toBytes();
  }

  private static ProtoOut encode(ProfileType type) {
    return new ProtoOut()
        .text(PyroscopeFields.TYPE_ID, type.id())
        .text(PyroscopeFields.TYPE_NAME, type.name())
        .text(PyroscopeFields.TYPE_SAMPLE_TYPE, type.sampleType())
        .text(PyroscopeFields.TYPE_SAMPLE_UNIT, type.sampleUnit())
        .text(PyroscopeFields.TYPE_PERIOD_TYPE, type.periodType())
        .text(PyroscopeFields.TYPE_PERIOD_UNIT, type.periodUnit());
  }

  public byte[] stats(byte[] request) {
    Optional<TimeRange> span = history.span();
    return new ProtoOut()
        .bool(PyroscopeFields.STATS_INGESTED, span.isPresent())
        .number(
            PyroscopeFields.STATS_OLDEST,
            span.map(range -> range.fromNanos() / 1_000_000).orElse(0L))
        .number(
            PyroscopeFields.STATS_NEWEST, span.map(range -> range.toNanos() / 1_000_000).orElse(0L))
        .toBytes();
  }

  /** Reads a SelectMergeStacktracesRequest; a DiffRequest contains two of them. */
  private static final class StacktracesReader extends SelectRequest.Reader {
    @Override
    void other(ProtoIn in) {
      switch (in.field()) {
        case PyroscopeFields.STACKTRACES_MAX_NODES -> maxNodes = in.number();
        case PyroscopeFields.STACKTRACES_FORMAT -> format = (int) in.number();
        case PyroscopeFields.STACKTRACES_STACKS -> selectStacks(in.message());
        case PyroscopeFields.STACKTRACES_PROFILE_IDS,
            PyroscopeFields.STACKTRACES_TRACE_IDS,
            PyroscopeFields.STACKTRACES_SPANS ->
            spansSelected |= in.length() > 0;
        default -> {}
      }
    }
  }

  public byte[] stacktraces(byte[] request) {
    SelectRequest.Reader reader = new StacktracesReader().read(new ProtoIn(request));
    SelectRequest question = reader.question();
    long nodes = reader.nodes();
    if (reader.format == PPROF_FORMAT) {
      return new ProtoOut()
          .message(
              PyroscopeFields.STACKTRACES_PPROF,
              new ProtoOut().bytes(PyroscopeFields.PPROF_PROFILE, pprof(question, reader)))
          .toBytes();
    }
    NameTree tree = tree(reader.selection()).below(reader.callSite, 0);
    return switch (reader.format) {
      case TREE_FORMAT ->
          new ProtoOut()
              .bytes(PyroscopeFields.STACKTRACES_TREE, FlameGraph.treeBytes(tree, nodes))
              .toBytes();
      case DOT_FORMAT ->
          new ProtoOut()
              .text(PyroscopeFields.STACKTRACES_DOT, DotGraph.of(tree, question.type(), nodes))
              .toBytes();
      default ->
          new ProtoOut()
              .message(PyroscopeFields.STACKTRACES_FLAME_GRAPH, FlameGraph.of(tree, nodes).encode())
              .toBytes();
    };
  }

  /** Plumb records no spans, so the answer is empty. */
  public byte[] spanProfile(byte[] request) {
    SelectRequest.Reader reader = new SelectRequest.Reader();
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.SPAN_PROFILE_TYPE -> reader.typeId = in.string();
        case PyroscopeFields.SPAN_PROFILE_SELECTOR -> reader.selector = in.string();
        case PyroscopeFields.SPAN_PROFILE_START -> reader.start = in.number();
        case PyroscopeFields.SPAN_PROFILE_END -> reader.end = in.number();
        default -> {}
      }
    }
    reader.question();
    NameTree none = new NameTree(new CallTreeBuilder(1).build());
    return new ProtoOut()
        .message(PyroscopeFields.STACKTRACES_FLAME_GRAPH, FlameGraph.of(none, 0).encode())
        .toBytes();
  }

  NameTree tree(Selection selection) {
    return new NameTree(callTree(new CallTreeBuilder(1), selection, 0).build());
  }

  private CallTreeBuilder callTree(CallTreeBuilder builder, Selection selection, int column) {
    Profile profile = history.functions(selection);
    builder.add(profile, new int[] {0}, new int[] {column});
    return builder;
  }

  public byte[] mergeProfile(byte[] request) {
    SelectRequest.Reader reader =
        new SelectRequest.Reader() {
          @Override
          void other(ProtoIn in) {
            switch (in.field()) {
              case PyroscopeFields.MERGE_PROFILE_MAX_NODES -> maxNodes = in.number();
              case PyroscopeFields.MERGE_PROFILE_STACKS -> selectStacks(in.message());
              case PyroscopeFields.MERGE_PROFILE_PROFILE_IDS,
                  PyroscopeFields.MERGE_PROFILE_TRACE_IDS ->
                  spansSelected |= in.length() > 0;
              default -> {}
            }
          }
        }.read(new ProtoIn(request));
    return pprof(reader.question(), reader);
  }

  private byte[] pprof(SelectRequest question, SelectRequest.Reader reader) {
    if (!reader.callSite.isEmpty()) {
      throw Refusal.invalid("stack_trace_selector is not supported for pprof: leave it out");
    }
    Profile profile = history.merged(reader.selection());
    return PprofBytes.merged(profile, question.type(), question.endMillis() * 1_000_000);
  }

  public byte[] diff(byte[] request) {
    Optional<SelectRequest.Reader> left = Optional.empty();
    Optional<SelectRequest.Reader> right = Optional.empty();
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case PyroscopeFields.DIFF_LEFT ->
            left = Optional.of(new StacktracesReader().read(in.message()));
        case PyroscopeFields.DIFF_RIGHT ->
            right = Optional.of(new StacktracesReader().read(in.message()));
        default -> {}
      }
    }
    if (left.isEmpty() || right.isEmpty()) {
      throw Refusal.invalid("diff: both left and right are required");
    }
    long nodes = Math.max(left.get().nodes(), right.get().nodes());
    NameTree both =
        diff(left.get().selection(), right.get().selection())
            .below(left.get().callSite, 0)
            .below(right.get().callSite, 1);
    return new ProtoOut()
        .message(PyroscopeFields.DIFF_FLAME_GRAPH, FlameGraph.of(both, nodes).encode())
        .toBytes();
  }

  /** Both selections in one tree, with a column for each. */
  public NameTree diff(Selection left, Selection right) {
    CallTreeBuilder builder = new CallTreeBuilder(2);
    callTree(builder, left, 0);
    callTree(builder, right, 1);
    return new NameTree(builder.build());
  }
}
