package dev.plumb.linux.kernel;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.NamePieces;
import dev.plumb.linux.proc.ProcReader;
import java.util.Arrays;
import java.util.Optional;

/**
 * The kernel's functions by address, from {@code /proc/kallsyms}, including modules, BPF programs
 * and trampolines.
 *
 * <p>Kept in columns, sorted by address: 8 bytes for the address, 4 for the name offset, and the
 * name with its NUL; about 38 bytes per function in total. If an address has several names, the
 * first one in the file is kept, as in the kernel's own traces.
 */
public final class Kallsyms {
  public static final String FILE = "/proc/kallsyms";

  /** No function is larger; an address farther from the preceding function is not in it. */
  private static final long MAX_FUNCTION = 1 << 20;

  private final int size;

  /** There may be unused room at the end, here and in the next column. */
  private final long[] addresses;

  private final int[] nameOffsets;
  private final NamePieces names;

  /** Symbols from {@code moduleStarts[i]} on are in module {@code modules[i]}. */
  private final int[] moduleStarts;

  private final String[] modules;
  private final Optional<String> problem;

  Kallsyms(
      int size,
      long[] addresses,
      int[] nameOffsets,
      NamePieces names,
      int[] moduleStarts,
      String[] modules,
      Optional<String> problem) {
    this.size = size;
    this.addresses = addresses;
    this.nameOffsets = nameOffsets;
    this.names = names;
    this.moduleStarts = moduleStarts;
    this.modules = modules;
    this.problem = problem;
  }

  /** Reads those of the running kernel. Never fails: {@link #problem} says what is missing. */
  public static Kallsyms load() {
    return load(FILE);
  }

  /** Reads a file in that format. */
  public static Kallsyms load(String file) {
    KallsymsBuilder builder = new KallsymsBuilder();
    try (ProcReader reader = new ProcReader()) {
      if (!reader.at(file).forEachLine(builder)) {
        return builder.build(
            Optional.of(file + " is not there; this kernel is built without CONFIG_KALLSYMS"));
      }
    } catch (SyscallException e) {
      return builder.build(Optional.of("kernel functions have no names: " + e.getMessage()));
    }
    return builder.build(builder.hidden());
  }

  /** Why addresses have no names, and what to do; empty if they have. */
  public Optional<String> problem() {
    return problem;
  }

  public int size() {
    return size;
  }

  /** The symbol that contains an address; -1 if none. */
  public int find(long kernelAddress) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(addresses[middle], kernelAddress) <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high >= 0 && kernelAddress - addresses[high] < MAX_FUNCTION ? high : -1;
  }

  public long kernelAddress(int symbol) {
    return addresses[symbol];
  }

  public String name(int symbol) {
    return names.text(nameOffsets[symbol]);
  }

  /** The module it is in, {@code bpf} for BPF programs; empty for the kernel itself. */
  public String module(int symbol) {
    int run = Arrays.binarySearch(moduleStarts, symbol);
    return modules[run >= 0 ? run : -run - 2];
  }

  /** The memory that the columns take. */
  public long bytes() {
    return 8L * addresses.length + 4L * nameOffsets.length + names.bytes();
  }
}
