package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.LostPages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The functions of a file by ELF address, in three columns of 4 bytes: start (from {@code base}),
 * size, and where the name is. Names stay in the file's string tables and become a String only when
 * asked for.
 */
final class FunctionTable {
  static final FunctionTable EMPTY =
      new FunctionTable(0, new int[0], new int[0], new int[0], List.of());

  private static final int BYTES_A_FUNCTION = 12;

  /** Set in a name's column if it stands in the second string table. */
  static final int SECOND_TABLE = 1 << 31;

  /** How far back an enclosing function is looked for where functions overlap. */
  private static final int MAX_NESTED = 32;

  private static final int MAX_NAMES_KEPT = 4096;

  private final long base;
  private final int[] starts;
  private final int[] sizes;
  private final int[] names;
  private final List<ElfBytes> strings;

  /** Names asked for before: many addresses of one function share one String. */
  private final Map<Integer, String> known = new HashMap<>();

  FunctionTable(long base, int[] starts, int[] sizes, int[] names, List<ElfBytes> strings) {
    this.base = base;
    this.starts = starts;
    this.sizes = sizes;
    this.names = names;
    this.strings = strings;
  }

  int size() {
    return starts.length;
  }

  long bytes() {
    return (long) BYTES_A_FUNCTION * starts.length;
  }

  /** The function that an address lies in; -1 if none. */
  int find(long elfAddress) {
    long offset = elfAddress - base;
    if (offset < 0 || offset > 0xffff_ffffL) {
      return -1;
    }
    int low = 0;
    int high = starts.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Integer.toUnsignedLong(starts[middle]) <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    for (int i = high; i >= 0 && i > high - MAX_NESTED; i--) {
      if (offset - Integer.toUnsignedLong(starts[i]) < Integer.toUnsignedLong(sizes[i])) {
        return i;
      }
    }
    return -1;
  }

  long elfAddress(int function) {
    return base + Integer.toUnsignedLong(starts[function]);
  }

  /**
   * The name as it stands in the file, without a symbol version ({@code memcpy@@GLIBC_2.14}), in a
   * style: always the same one, because what was asked for before is kept.
   *
   * @throws dev.plumb.elf.ElfException if the file no longer has it
   */
  String name(int function, UnaryOperator<String> style) {
    String name = known.get(function);
    if (name == null) {
      name = style.apply(read(names[function]));
      if (known.size() == MAX_NAMES_KEPT) {
        known.clear();
      }
      known.put(function, name);
    }
    return name;
  }

  private String read(int place) {
    ElfBytes table = strings.get(place < 0 ? 1 : 0);
    String name = LostPages.guard("names", () -> table.string(place & ~SECOND_TABLE));
    int version = name.indexOf('@');
    return version > 0 ? name.substring(0, version) : name;
  }
}
