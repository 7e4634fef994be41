package dev.plumb.bpf.btf;

import dev.plumb.bpf.error.BpfException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Answers what clang's CO-RE relocations ask, by the kernel's types. Pure: no instruction is
 * touched here, and the same types give the same answers.
 */
public final class CoreRelocator {
  private final Btf local;
  private final KernelTypes kernel;
  private final Map<Integer, List<Candidate>> candidates = new HashMap<>();
  private final Map<CoreRelocation, Answer> answers = new IdentityHashMap<>();

  private record Candidate(Btf btf, int id) {}

  /**
   * The answer to one relocation.
   *
   * @param missing the kernel has no such thing: an instruction that is reached must not be run
   * @param local what the object's own types say, which clang has put into the instruction
   * @param checkLocal whether the instruction must hold {@code local}
   * @param value what the kernel's types say
   * @param localSize bytes of the field, 0 where no load or store is meant
   * @param size bytes of the kernel's field
   * @param resizable whether a load or store may simply change its size to the kernel's
   * @param what the path, for messages
   */
  public record Answer(
      boolean missing,
      long local,
      boolean checkLocal,
      long value,
      long localSize,
      long size,
      boolean resizable,
      String what) {}

  /** A value with the field that it is about, if it is about one. */
  private record Value(long value, boolean checked, long size, int type) {
    static Value of(long value) {
      return new Value(value, true, 0, 0);
    }
  }

  public CoreRelocator(Btf local, KernelTypes kernel) {
    this.local = local;
    this.kernel = kernel;
  }

  public KernelTypes types() {
    return kernel;
  }

  /** Each is found once. */
  public Answer answer(CoreRelocation relocation) {
    return answers.computeIfAbsent(relocation, this::find);
  }

  private Answer find(CoreRelocation relocation) {
    CorePath path = CorePath.local(local, relocation);
    Value own = value(relocation.kind(), path);
    String what = path.describe();
    if (relocation.kind() == CoreRelocation.Kind.TYPE_ID_LOCAL) {
      return new Answer(false, own.value, false, own.value, 0, 0, false, what);
    }
    Optional<CorePath> target = target(relocation.kind(), path);
    Optional<Value> found =
        target.isPresent()
            ? Optional.of(value(relocation.kind(), target.get()))
            : absent(relocation.kind());
    if (found.isEmpty()) {
      return new Answer(true, own.value, own.checked, 0, 0, 0, false, what);
    }
    Value value = found.get();
    boolean resizable =
        own.size == value.size
            || target.isPresent() && resizable(own.type, target.get().btf(), value.type);
    return new Answer(
        false, own.value, own.checked, value.value, own.size, value.size, resizable, what);
  }

  /** What is said of something that the kernel does not have; empty where nothing can be said. */
  private static Optional<Value> absent(CoreRelocation.Kind kind) {
    return switch (kind) {
      case FIELD_EXISTS, ENUMVAL_EXISTS, TYPE_EXISTS, TYPE_MATCHES, TYPE_SIZE, TYPE_ID_TARGET ->
          Optional.of(Value.of(0));
      default -> Optional.empty();
    };
  }

  /**
   * What the path is in the kernel. A candidate that lacks something is not looked at again while
   * another has it: kernels have unlike types of the same name, and a program means one of them.
   */
  private Optional<CorePath> target(CoreRelocation.Kind kind, CorePath path) {
    Optional<CorePath> found = Optional.empty();
    List<Candidate> matching = new ArrayList<>();
    for (Candidate candidate : candidates(path.root())) {
      Optional<CorePath> match = CoreMatcher.match(path, kind, candidate.btf, candidate.id);
      if (match.isEmpty()) {
        continue;
      }
      matching.add(candidate);
      if (found.isEmpty()) {
        found = match;
      } else if (found.get().bitOffset() != match.get().bitOffset()
          || value(kind, found.get()).value != value(kind, match.get()).value) {
        throw new BpfException(
            "CO-RE: the kernel has two types for "
                + path.describe()
                + " that differ: "
                + found.get().root()
                + " and "
                + candidate.id);
      }
    }
    if (!matching.isEmpty()) {
      candidates.put(path.root(), matching);
    }
    return found;
  }

  /** The kernel's types of that name and kind; those of modules only if the kernel has none. */
  private List<Candidate> candidates(int root) {
    return candidates.computeIfAbsent(
        root,
        id -> {
          if (local.isAnonymous(id)) {
            throw new BpfException(
                "CO-RE: " + local.describe(id) + " has no name to look for in the kernel");
          }
          List<Candidate> found = new ArrayList<>();
          addCandidates(id, kernel.kernel(), found);
          for (int i = 0; i < kernel.modules().size() && found.isEmpty(); i++) {
            addCandidates(id, kernel.modules().get(i).types(), found);
          }
          return found;
        });
  }

  private void addCandidates(int id, Btf btf, List<Candidate> found) {
    int name = local.nameOffset(id);
    int hash = EssentialNames.essentialHash(local.stringBytes(name), local.stringStart(name));
    NameIndex index = btf.names();
    for (int other = index.first(hash); other >= 0; other = index.after(other)) {
      if (BtfKind.compatible(local.kind(id), btf.kind(other))
          && EssentialNames.sameEssential(local, name, btf, btf.nameOffset(other))) {
        found.add(new Candidate(btf, other));
      }
    }
  }

  private static Value value(CoreRelocation.Kind kind, CorePath path) {
    Btf btf = path.btf();
    return switch (kind) {
      case FIELD_EXISTS, TYPE_EXISTS, TYPE_MATCHES, ENUMVAL_EXISTS -> Value.of(1);
      case TYPE_ID_LOCAL, TYPE_ID_TARGET -> new Value(path.root(), false, 0, 0);
      case TYPE_SIZE -> Value.of(btf.sizeOf(path.root()));
      case ENUMVAL_VALUE -> Value.of(btf.enumeratorValue(path.last().type(), path.last().index()));
      default -> path.last().name() == 0 ? elementValue(kind, path) : memberValue(kind, path);
    };
  }

  private static Value elementValue(CoreRelocation.Kind kind, CorePath path) {
    int type = path.last().type();
    long size = path.btf().sizeOf(type);
    return switch (kind) {
      case FIELD_BYTE_OFFSET -> new Value(path.bitOffset() / 8, true, size, type);
      case FIELD_BYTE_SIZE -> Value.of(size);
      default -> throw new BpfException("CO-RE: " + path.describe() + " is not a field");
    };
  }

  private static Value memberValue(CoreRelocation.Kind kind, CorePath path) {
    Btf btf = path.btf();
    CorePath.Step step = path.last();
    int type = btf.skipModifiers(btf.memberType(step.type(), step.index()));
    long bitSize = btf.memberBitSize(step.type(), step.index());
    boolean bitField = bitSize > 0;
    long bitOffset = path.bitOffset();
    long size = btf.sizeOf(type);
    long offset;
    if (bitField) {
      size = bitFieldLoadSize(path, size, bitSize);
      offset = bitOffset / 8 / size * size;
    } else {
      if (bitOffset % 8 != 0) {
        throw new BpfException("CO-RE: " + path.describe() + " starts inside a byte");
      }
      offset = bitOffset / 8;
      bitSize = size * 8;
    }
    return switch (kind) {
      case FIELD_BYTE_OFFSET -> new Value(offset, !bitField, bitField ? 0 : size, type);
      case FIELD_BYTE_SIZE -> new Value(size, !bitField, 0, 0);
      case FIELD_SIGNED -> Value.of(isSigned(btf, type) ? 1 : 0);
      case FIELD_LSHIFT_U64 -> new Value(64 - (bitOffset + bitSize - offset * 8), false, 0, 0);
      case FIELD_RSHIFT_U64 -> Value.of(64 - bitSize);
      default -> throw new IllegalArgumentException(kind.name());
    };
  }

  /**
   * The aligned load that holds all of a bit field: its type's size, or more where it straddles.
   */
  private static long bitFieldLoadSize(CorePath path, long typeSize, long bitSize) {
    long size = Math.max(1, typeSize);
    long bitOffset = path.bitOffset();
    while (bitOffset + bitSize - bitOffset / 8 / size * size * 8 > size * 8) {
      size *= 2;
      if (size > 8) {
        throw new BpfException("CO-RE: no single load holds the bit field " + path.describe());
      }
    }
    return size;
  }

  private static boolean isSigned(Btf btf, int type) {
    return BtfKind.isEnum(btf.kind(type)) ? btf.flag(type) : btf.isSignedInt(type);
  }

  /** Loading zero-extends, so pointers and unsigned ints can change size; others cannot. */
  private boolean resizable(int localType, Btf btf, int type) {
    int kind = local.kind(localType);
    if (kind != btf.kind(type)) {
      return false;
    }
    return kind == BtfKind.PTR
        || kind == BtfKind.INT && !local.isSignedInt(localType) && !btf.isSignedInt(type);
  }
}
