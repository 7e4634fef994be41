package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.collect.kernel.Records;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.StackEnd;
import dev.plumb.table.LongIndex;
import dev.plumb.table.PairIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The stacks of a recording as {@link RawPlaces}. A stack is its leaf and the stack of the caller,
 * so what stacks have in common is held once, whichever processes they are of. Below all of them
 * stand the empty stacks, one for each {@link StackEnd}.
 *
 * <p>The memory is bounded: when the table is nearly full, further stacks keep only their leaf, and
 * say so; in the end they are refused, and their samples are counted as lost.
 */
public final class RawStacks {
  /**
   * How much may be held.
   *
   * @param ids of the kernel side: a process's own number of a stack
   * @param stacks distinct stacks and beginnings of stacks
   */
  public record Limits(int ids, int stacks) {
    /** For a heap of this size: at most half of it, with what belongs to each stack elsewhere. */
    public static Limits ofHeap(long bytes) {
      int stacks = Math.clamp(bytes / 80, 1 << 16, 64 << 20);
      return new Limits(stacks / 2, stacks);
    }
  }

  private static final StackEnd[] ENDS = StackEnd.values();
  private static final int NO_PLACE = -1;

  /** Instead of a place, in a stack that stands for one that has yet to be unwound. */
  private static final int LATER = -2;

  /** For one that never was. */
  private static final int UNWOUND_TOO_LATE = ENDS.length;

  /** A storm of short processes makes as many in half a minute. */
  private static final int LARGE_PROCESSES = 8192;

  /** Fewer take little memory. */
  private static final int MANY_IDS = 1 << 14;

  private RawPlaces places = new RawPlaces();
  private RawRegions regions = new RawRegions();
  private final RawProcesses processes;
  private final Limits limits;

  /** Caller and place. */
  private PairIndex stacks = emptyStacks();

  private LongIndex ids = new LongIndex();
  private int[] stackOfId = new int[1024];
  private int[] processOfId = new int[1024];

  /** Of each id, whether it was met since the last part was cut off. */
  private boolean[] met = new boolean[1024];

  /** For stacks that stood for others, which. */
  private final Map<Integer, Integer> resolved = new HashMap<>();

  private int nextLater;

  private final UnresolvedStacks unresolved = new UnresolvedStacks();

  private int[] scratch = new int[Records.MAX_USER_FRAMES];

  private final GeneratedCode generatedCode = new GeneratedCode();

  /** Where the outermost frame lies of the stack at hand, as far as its frames lie in mappings. */
  private Optional<Mapping> outermost = Optional.empty();

  /** How the stack ended that was resolved last, as far as unwinding knows. */
  private StackEnd resolvedEnd = StackEnd.WHOLE;

  private long refused;
  private int keptIds;
  private int keptStacks;

  public RawStacks(RawProcesses processes, Limits limits) {
    this.processes = processes;
    this.limits = limits;
  }

  private static PairIndex emptyStacks() {
    PairIndex empty = new PairIndex();
    for (StackEnd end : ENDS) {
      empty.add(NO_PLACE - end.ordinal(), NO_PLACE);
    }
    empty.add(StackEnd.EARLY.ordinal(), RawPlaces.UNKNOWN);
    return empty;
  }

  /** Takes a {@code stack_record}. */
  public void add(MemorySegment record) {
    int kernel = record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET);
    int user = Short.toUnsignedInt(record.get(JAVA_SHORT, Records.STACK_USER_FRAMES_OFFSET));
    long time = record.get(JAVA_LONG, Records.STACK_TIME_OFFSET);
    if (isFull()) {
      refuse(); // nor is its process noted, whose memory grows with the stacks'
      return;
    }
    int owner =
        processes.index(
            record.get(JAVA_LONG, Records.STACK_PROCESS_OFFSET),
            record.get(JAVA_INT, Records.STACK_TGID_OFFSET),
            time);
    add(
        record.get(JAVA_LONG, Records.STACK_ID_OFFSET),
        owner,
        time,
        record.asSlice(Records.STACK_ADDRESSES_OFFSET + 8L * user),
        kernel,
        record.asSlice(Records.STACK_ADDRESSES_OFFSET),
        user,
        ENDS[record.get(JAVA_BYTE, Records.STACK_END_OFFSET)]);
  }

  /** Takes a stack whose addresses lie in memory, leaf first. */
  public void add(
      long id,
      int owner,
      long time,
      MemorySegment kernelAddresses,
      int kernel,
      MemorySegment userAddresses,
      int user,
      StackEnd how) {
    OptionalInt added = number(id, owner);
    if (added.isEmpty()) {
      return;
    }
    int number = added.getAsInt();
    UnresolvedStacks.Raw raw =
        new UnresolvedStacks.Raw(owner, time, kernelAddresses, kernel, userAddresses, user, how);
    stackOfId[number] = resolve(raw);
    if (resolvedEnd == StackEnd.UNMAPPED) {
      unresolved.add(number, raw);
    }
  }

  /** A number for a stack that is new; none if it came before. */
  private OptionalInt number(long id, int owner) {
    int before = ids.size();
    int number = ids.add(id);
    if (number < before) {
      // Sent again: another stack took its slot of the kernel's table, or all were asked for anew.
      met[number] = true;
      return OptionalInt.empty();
    }
    if (number == stackOfId.length) {
      stackOfId = Arrays.copyOf(stackOfId, number * 2);
      processOfId = Arrays.copyOf(processOfId, number * 2);
      met = Arrays.copyOf(met, number * 2);
    }
    met[number] = true;
    processOfId[number] = owner;
    return OptionalInt.of(number);
  }

  /** Takes a stack that has yet to be unwound: another one stands for it until then. */
  public void addLater(long id, int owner) {
    number(id, owner).ifPresent(number -> stackOfId[number] = stacks.add(nextLater++, LATER));
  }

  /** The stack is unwound now that {@link #addLater} was told of. */
  public void resolveLater(
      long id,
      int owner,
      long time,
      MemorySegment kernelAddresses,
      int kernel,
      MemorySegment userAddresses,
      int user,
      StackEnd how) {
    int number = ids.find(id);
    if (number >= 0 && stacks.second(stackOfId[number]) == LATER) {
      int standIn = stackOfId[number];
      stackOfId[number] =
          resolve(
              new UnresolvedStacks.Raw(
                  owner, time, kernelAddresses, kernel, userAddresses, user, how));
      resolved.put(standIn, stackOfId[number]);
    }
  }

  /** Whether a stack stands for one that has yet to be unwound. */
  public boolean isLater(int stack) {
    return stacks.second(stack) == LATER && !resolved.containsKey(stack);
  }

  /** The stack that another one stood for; a stack that stood for none is itself. */
  public int resolved(int stack) {
    return stacks.second(stack) == LATER ? resolved.getOrDefault(stack, UNWOUND_TOO_LATE) : stack;
  }

  /** The stack of addresses, as far as what is known of their process tells. */
  private int resolve(UnresolvedStacks.Raw raw) {
    Optional<ProcessImage> image = processes.image(raw.owner());
    int user = raw.user();
    int kernel = raw.kernel();
    boolean full = stacks.size() >= limits.stacks() / 8 * 7;
    int wanted = full ? Math.min(user, 1) : user;
    int mapped = image.isPresent() ? places(raw, image.get(), wanted) : 0;
    // A return address that lies in no mapping is no frame: unwinding went astray before it.
    boolean astray = mapped < wanted && raw.end() != StackEnd.EARLY;
    StackEnd how = astray ? StackEnd.UNMAPPED : full ? StackEnd.TOO_MANY : raw.end();
    StackEnd end = mapped > 0 ? generatedCode.end(how, outermost) : how;
    resolvedEnd = how;
    int stack = end.ordinal();
    for (int i = mapped - 1; i >= 0; i--) {
      stack = stacks.add(stack, scratch[i]);
    }
    for (int i = (full ? Math.min(kernel, 1) : kernel) - 1; i >= 0; i--) {
      long address = raw.kernelAddresses().getAtIndex(JAVA_LONG, i);
      stack = stacks.add(stack, places.kernel(address, i > 0));
    }
    if (isEmpty(stack)) {
      stack = stacks.add(stack, image.isPresent() ? RawPlaces.UNKNOWN : RawPlaces.UNKNOWN_PROCESS);
    }
    return stack;
  }

  /** Puts the places of addresses into the scratch array, until one is in no mapping; how many. */
  private int places(UnresolvedStacks.Raw raw, ProcessImage image, int count) {
    long time = raw.time();
    for (int i = 0; i < count; i++) {
      long recorded = raw.userAddresses().getAtIndex(JAVA_LONG, i);
      long address = recorded & ~Records.INTERRUPTED;
      boolean isReturn = i > 0 && recorded == address;
      Optional<Mapping> mapping = image.mappingAt(address, time);
      if (mapping.isEmpty()) {
        processes.refresh(image, time);
        mapping = image.mappingAt(address, time);
      }
      if (mapping.isEmpty()) {
        return i;
      }
      outermost = mapping;
      int region = regions.of(raw.owner(), mapping.get());
      scratch[i] = places.user(region, address - mapping.get().start(), isReturn, time);
    }
    return count;
  }

  public boolean isFull() {
    return ids.size() >= limits.ids() || stacks.size() >= limits.stacks();
  }

  public void refuse() {
    refused++;
  }

  /** Why a stack may be missing, for people. */
  public String missingText() {
    return refused > 0
        ? "too many different stacks (PLUMB_HEAP=1g holds more)"
        : "stack never arrived";
  }

  /** Stacks that found no room at all. */
  long refused() {
    return refused;
  }

  /** The number of what the kernel side calls {@code id}; -1 if it never came. */
  public int find(long id) {
    int number = ids.find(id);
    if (number >= 0) {
      met[number] = true;
      unresolved.again(number).ifPresent(raw -> stackOfId[number] = resolve(raw));
    }
    return number;
  }

  /**
   * Forgets what was not met since the last part was cut off. Stacks, places, regions and processes
   * have other numbers then.
   */
  public void forgetUnmet() {
    Forgetting kept = new Forgetting();
    for (int number = 0; number < ids.size(); number++) {
      if (met[number]) {
        kept.keep(ids.key(number), stackOfId[number], processOfId[number]);
      }
    }
    kept.end();
  }

  /** A part was cut off: what is not met from now on may be forgotten with the next one. */
  public void beginPart() {
    Arrays.fill(met, 0, ids.size(), false);
  }

  /** Copies what is still wanted into tables that take the place of the old ones. */
  private final class Forgetting {
    private final RawPlaces newPlaces = new RawPlaces();
    private final RawRegions newRegions = new RawRegions();
    private final PairIndex newStacks = emptyStacks();
    private final LongIndex newIds = new LongIndex();
    private final int[] newStackOfId = new int[stackOfId.length];
    private final int[] newProcessOfId = new int[processOfId.length];
    private final RawProcesses.Forgetting newProcesses = processes.forgetting();

    /** For each old stack, the new one + 1. */
    private final int[] copies = new int[stacks.size()];

    void keep(long id, int stack, int process) {
      int owner = newProcesses.keep(process);
      int number = newIds.add(id);
      newProcessOfId[number] = owner;
      newStackOfId[number] = copy(resolved(stack), owner);
    }

    private int copy(int stack, int owner) {
      int depth = 0;
      int at = stack;
      while (copies[at] == 0 && !isEmpty(at)) {
        if (depth == scratch.length) {
          scratch = Arrays.copyOf(scratch, depth * 2);
        }
        scratch[depth++] = at;
        at = caller(at);
      }
      int copy = isEmpty(at) ? at : copies[at] - 1;
      while (depth > 0) {
        at = scratch[--depth];
        copy = newStacks.add(copy, copyPlace(place(at), owner));
        copies[at] = copy + 1;
      }
      return copy;
    }

    private int copyPlace(int place, int owner) {
      if (place == RawPlaces.UNKNOWN || place == RawPlaces.UNKNOWN_PROCESS) {
        return place;
      }
      if (places.isKernel(place)) {
        return newPlaces.kernel(places.offset(place), places.isReturn(place));
      }
      int region = newRegions.of(owner, regions.mapping(places.region(place)));
      return newPlaces.user(
          region, places.offset(place), places.isReturn(place), places.time(place));
    }

    void end() {
      newProcesses.end();
      places = newPlaces;
      regions = newRegions;
      stacks = newStacks;
      ids = newIds;
      stackOfId = newStackOfId;
      processOfId = newProcessOfId;
      met = new boolean[stackOfId.length];
      unresolved.clear();
      resolved.clear();
      keptIds = ids.size();
      keptStacks = stacks.size();
    }
  }

  /** Whether it is time to forget: an eighth of the room is taken, and twice what was kept. */
  public boolean isLarge() {
    return isLarge(ids.size(), keptIds, limits.ids())
        || isLarge(stacks.size(), keptStacks, limits.stacks())
        || processes.size() > LARGE_PROCESSES;
  }

  /**
   * Whether nearly all was not met since the last part was cut off: the machine was busy before.
   */
  public boolean isMostlyUnmet() {
    if (ids.size() < MANY_IDS) {
      return false;
    }
    int count = 0;
    for (int number = 0; number < ids.size(); number++) {
      count += met[number] ? 1 : 0;
    }
    return count < ids.size() / 16;
  }

  /** Whether there is little room left before stacks have to be cut. */
  public boolean isNearlyFull() {
    return stacks.size() > limits.stacks() / 8 * 5 || ids.size() > limits.ids() / 8 * 5;
  }

  private static boolean isLarge(int size, int kept, int limit) {
    return size > limit / 8 && size > Math.min(2 * kept, limit / 2);
  }

  /** The stack of a number that was found. */
  public int stack(int number) {
    return stackOfId[number];
  }

  /** The process of a number that was found. */
  public int process(int number) {
    return processOfId[number];
  }

  /** Gives back what is needed only while stacks come: ids cannot be found any more. */
  public void complete() {
    stacks.complete();
    ids = new LongIndex();
    stackOfId = new int[0];
    processOfId = new int[0];
  }

  /** Gives all memory back. */
  public void clear() {
    stacks = new PairIndex();
  }

  /** How many ids of the kernel side are known. */
  int ids() {
    return ids.size();
  }

  /** How many stacks there are, with the empty ones and those that are part of others. */
  public int size() {
    return stacks.size();
  }

  public boolean isEmpty(int stack) {
    return stacks.second(stack) == NO_PLACE;
  }

  /** Of an empty stack. */
  public StackEnd end(int stack) {
    return ENDS[stack];
  }

  /** The stack without its leaf. */
  public int caller(int stack) {
    return stacks.first(stack);
  }

  /** The leaf's place. */
  public int place(int stack) {
    return stacks.second(stack);
  }

  public RawPlaces places() {
    return places;
  }

  public RawRegions regions() {
    return regions;
  }
}
