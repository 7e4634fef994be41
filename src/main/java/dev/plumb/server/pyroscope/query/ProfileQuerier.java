package dev.plumb.server.pyroscope.query;

import dev.plumb.export.pprof.PprofBytes;
import dev.plumb.export.wire.ProtoIn;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.CallTreeBuilder;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.TimeRange;
import java.util.Optional;

/** querier.v1.QuerierService, but for what asks for labels. */
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
        case 1 -> start = in.number();
        case 2 -> end = in.number();
        default -> {}
      }
    }
    ProtoOut out = new ProtoOut();
    history.types(SelectRequest.anyRange(start, end)).stream()
        .sorted(java.util.Comparator.comparing(ProfileType::id))
        .forEach(type -> out.message(1, encode(type)));
    return out.toBytes();
  }

  private static ProtoOut encode(ProfileType type) {
    return new ProtoOut()
        .text(1, type.id())
        .text(2, type.name())
        .text(4, type.sampleType())
        .text(5, type.sampleUnit())
        .text(6, type.periodType())
        .text(7, type.periodUnit());
  }

  public byte[] stats(byte[] request) {
    Optional<TimeRange> span = history.span();
    return new ProtoOut()
        .bool(1, span.isPresent())
        .number(2, span.map(range -> range.fromNanos() / 1_000_000).orElse(0L))
        .number(3, span.map(range -> range.toNanos() / 1_000_000).orElse(0L))
        .toBytes();
  }

  /** Reads SelectMergeStacktraces; Diff has two of them inside. */
  private static final class StacktracesReader extends SelectRequest.Reader {
    @Override
    void other(ProtoIn in) {
      switch (in.field()) {
        case 5 -> maxNodes = in.number();
        case 6 -> format = (int) in.number();
        case 7 -> selectStacks(in.message());
        case 8, 10, 11 -> spansSelected |= in.length() > 0;
        default -> {}
      }
    }
  }

  public byte[] stacktraces(byte[] request) {
    SelectRequest.Reader reader = new StacktracesReader().read(new ProtoIn(request));
    SelectRequest question = reader.question();
    long nodes = reader.nodes();
    if (reader.format == PPROF_FORMAT) {
      return new ProtoOut().message(5, new ProtoOut().bytes(1, pprof(question, reader))).toBytes();
    }
    NameTree tree = tree(reader.selection()).below(reader.callSite, 0);
    return switch (reader.format) {
      case TREE_FORMAT -> new ProtoOut().bytes(2, FlameGraph.treeBytes(tree, nodes)).toBytes();
      case DOT_FORMAT ->
          new ProtoOut().text(3, DotGraph.of(tree, question.type(), nodes)).toBytes();
      default -> new ProtoOut().message(1, FlameGraph.of(tree, nodes).encode()).toBytes();
    };
  }

  /** Plumb knows no spans: there is nothing of any. */
  public byte[] spanProfile(byte[] request) {
    SelectRequest.Reader reader = new SelectRequest.Reader();
    ProtoIn in = new ProtoIn(request);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> reader.typeId = in.string();
        case 2 -> reader.selector = in.string();
        case 4 -> reader.start = in.number();
        case 5 -> reader.end = in.number();
        default -> {}
      }
    }
    reader.question();
    NameTree none = new NameTree(new CallTreeBuilder(1).build());
    return new ProtoOut().message(1, FlameGraph.of(none, 0).encode()).toBytes();
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
              case 5 -> maxNodes = in.number();
              case 6 -> selectStacks(in.message());
              case 7, 8 -> spansSelected |= in.length() > 0;
              default -> {}
            }
          }
        }.read(new ProtoIn(request));
    return pprof(reader.question(), reader);
  }

  private byte[] pprof(SelectRequest question, SelectRequest.Reader reader) {
    if (!reader.callSite.isEmpty()) {
      throw Refusal.invalid("pprof takes no stack_trace_selector here: leave it out");
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
        case 1 -> left = Optional.of(new StacktracesReader().read(in.message()));
        case 2 -> right = Optional.of(new StacktracesReader().read(in.message()));
        default -> {}
      }
    }
    if (left.isEmpty() || right.isEmpty()) {
      throw Refusal.invalid("diff: both left and right are wanted");
    }
    long nodes = Math.max(left.get().nodes(), right.get().nodes());
    NameTree both =
        diff(left.get().selection(), right.get().selection())
            .below(left.get().callSite, 0)
            .below(right.get().callSite, 1);
    return new ProtoOut().message(1, FlameGraph.of(both, nodes).encode()).toBytes();
  }

  /** Two trees in one, with a column for each. */
  public NameTree diff(Selection left, Selection right) {
    CallTreeBuilder builder = new CallTreeBuilder(2);
    callTree(builder, left, 0);
    callTree(builder, right, 1);
    return new NameTree(builder.build());
  }
}
