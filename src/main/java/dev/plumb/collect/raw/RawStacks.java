package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.collect.kernel.Records;
import dev.plumb.profile.StackEnd;
import dev.plumb.table.LongIndex;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The stacks of a recording, as a {@link RawStackTree} of {@link RawPlaces}, and which of them the
 * kernel side calls by which id.
 *
 * <p>The memory is bounded: when the tree is nearly full, further stacks keep only their leaf, and
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
    /** For a heap of this size: at most half of it, including what other tables hold per stack. */
    public static Limits ofHeap(long bytes) {
      int stacks = Math.clamp(bytes / 80, 1 << 16, 64 << 20);
      return new Limits(stacks / 2, stacks);
    }
  }

  private static final StackEnd[] ENDS = StackEnd.values();

  /** A storm of short-lived processes makes as many in half a minute. */
  private static final int LARGE_PROCESSES = 8192;

  /** Fewer take little memory. */
  private static final int MANY_IDS = 1 << 14;

  private final RawProcesses processes;
  private final Limits limits;

  private RawStackTree stacks = new RawStackTree();

  private LongIndex ids = new LongIndex();
  private int[] stackOfId = new int[1024];
  private int[] processOfId = new int[1024];

  /** For each id, whether it was seen since the last part was cut off. */
  private boolean[] met = new boolean[1024];

  /** The stacks that placeholders stood for. */
  private final Map<Integer, Integer> resolved = new HashMap<>();

  private int nextLater;

  private final UnresolvedStacks unresolved = new UnresolvedStacks();

  private final StackResolver resolver;
  private long refused;
  private int keptIds;
  private int keptStacks;

  public RawStacks(RawProcesses processes, Limits limits) {
    this.processes = processes;
    this.limits = limits;
    this.resolver = new StackResolver(processes);
  }

  /** Takes a {@code stack_record}. */
  public void add(MemorySegment record) {
    int kernel = record.get(JAVA_INT, Records.STACK_KERNEL_FRAMES_OFFSET);
    int user = Short.toUnsignedInt(record.get(JAVA_SHORT, Records.STACK_USER_FRAMES_OFFSET));
    long time = record.get(JAVA_LONG, Records.STACK_TIME_OFFSET);
    if (isFull()) {
      refuse(); // nor is its process added: processes take memory, too
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
    if (resolver.lastEnd() == StackEnd.UNMAPPED) {
      unresolved.add(number, raw);
    }
  }

  /** A number for a new stack; empty if the stack is known. */
  private OptionalInt number(long id, int owner) {
    int before = ids.size();
    int number = ids.add(id);
    if (number < before) {
      // Sent again: another stack took its slot in the kernel's table, or all were requested again.
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

  /** Takes a stack that is not unwound yet: a placeholder stands for it until then. */
  public void addLater(long id, int owner) {
    number(id, owner).ifPresent(number -> stackOfId[number] = stacks.placeholder(nextLater++));
  }

  /** Takes the frames of a stack for which {@link #addLater} added a placeholder. */
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
    if (number >= 0 && stacks.isPlaceholder(stackOfId[number])) {
      int standIn = stackOfId[number];
      stackOfId[number] =
          resolve(
              new UnresolvedStacks.Raw(
                  owner, time, kernelAddresses, kernel, userAddresses, user, how));
      resolved.put(standIn, stackOfId[number]);
    }
  }

  /** Whether a stack is a placeholder for one that is not unwound yet. */
  public boolean isLater(int stack) {
    return stacks.isPlaceholder(stack) && !resolved.containsKey(stack);
  }

  /** The stack that a placeholder stood for; any other stack is returned as it is. */
  public int resolved(int stack) {
    return stacks.isPlaceholder(stack)
        ? resolved.getOrDefault(stack, RawStackTree.UNWOUND_TOO_LATE)
        : stack;
  }

  /** The stack of addresses; only its leaves once the tree is nearly full. */
  private int resolve(UnresolvedStacks.Raw raw) {
    return resolver.resolve(stacks, raw, stacks.size() >= limits.stacks() / 8 * 7);
  }

  public boolean isFull() {
    return ids.size() >= limits.ids() || stacks.size() >= limits.stacks();
  }

  public void refuse() {
    refused++;
  }

  /** Why a stack may be missing, in words. */
  public String missingText() {
    return refused > 0
        ? "too many different stacks (PLUMB_HEAP=1g holds more)"
        : "stack never arrived";
  }

  /** The number of stacks that found no room at all. */
  long refused() {
    return refused;
  }

  /** The number of the stack with this id on the kernel side; -1 if it never arrived. */
  public int find(long id) {
    int number = ids.find(id);
    if (number >= 0) {
      met[number] = true;
      unresolved.again(number).ifPresent(raw -> stackOfId[number] = resolve(raw));
    }
    return number;
  }

  /**
   * Forgets the stacks that were not seen since the last part was cut off. Afterwards, stacks,
   * places, regions and processes have other numbers.
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

  /**
   * A part was cut off: stacks that are not seen from now on may be forgotten with the next part.
   */
  public void beginPart() {
    Arrays.fill(met, 0, ids.size(), false);
  }

  /** Copies what is still needed to tables that replace the old ones. */
  private final class Forgetting {
    private final RawStackTree.Copier copier = stacks.new Copier();
    private final LongIndex newIds = new LongIndex();
    private final int[] newStackOfId = new int[stackOfId.length];
    private final int[] newProcessOfId = new int[processOfId.length];
    private final RawProcesses.Forgetting newProcesses = processes.forgetting();

    void keep(long id, int stack, int process) {
      int owner = newProcesses.keep(process);
      int number = newIds.add(id);
      newProcessOfId[number] = owner;
      newStackOfId[number] = copier.copy(resolved(stack), owner);
    }

    void end() {
      newProcesses.end();
      stacks = copier.copied();
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

  /**
   * Whether it is time to forget: more than an eighth of the room is taken, and more than twice
   * what was kept last time.
   */
  public boolean isLarge() {
    return isLarge(ids.size(), keptIds, limits.ids())
        || isLarge(stacks.size(), keptStacks, limits.stacks())
        || processes.size() > LARGE_PROCESSES;
  }

  /**
   * Whether few of the stacks were seen since the last part was cut off: the machine was busier
   * before.
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

  /** Whether there is little room left before stacks must be cut. */
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

  /** Frees what is needed only while stacks arrive: ids cannot be found any more. */
  public void complete() {
    stacks.complete();
    ids = new LongIndex();
    stackOfId = new int[0];
    processOfId = new int[0];
  }

  /** Frees all memory. */
  public void clear() {
    stacks = new RawStackTree();
  }

  /** How many ids of the kernel side are known. */
  int ids() {
    return ids.size();
  }

  /** How many stacks there are, with the empty ones and those that are part of others. */
  public int size() {
    return stacks.size();
  }

  /** The tree of stacks; another one after stacks were forgotten. */
  public RawStackTree tree() {
    return stacks;
  }

  public boolean isEmpty(int stack) {
    return stacks.isEmpty(stack);
  }

  /** How an empty stack ended. */
  public StackEnd end(int stack) {
    return stacks.end(stack);
  }

  /** The stack without its leaf. */
  public int caller(int stack) {
    return stacks.caller(stack);
  }

  /** The leaf's place. */
  public int place(int stack) {
    return stacks.place(stack);
  }

  public RawPlaces places() {
    return stacks.places();
  }

  public RawRegions regions() {
    return stacks.regions();
  }
}
