package dev.plumb.symbols;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.LostPages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * The functions of a file by ELF address, in three columns of 4 bytes: start (from {@code base}),
 * size, and the place of the name. Names stay in the file's string tables; a String is made only
 * when a name is needed.
 */
final class FunctionTable {
  static final FunctionTable EMPTY =
      new FunctionTable(0, new FunctionColumns.Kept(new int[0], new int[0], new int[0]), List.of());

  static final int BYTES_PER_FUNCTION = 12;

  /** Set in the name column if the name is in the second string table. */
  static final int SECOND_TABLE = 1 << 31;

  /** How many functions to go back for an enclosing one, where functions overlap. */
  private static final int MAX_NESTED = 32;

  private static final int MAX_NAMES_KEPT = 4096;

  private final long base;
  private final FunctionColumns columns;
  private final List<ElfBytes> strings;

  /** Names made before: many addresses in one function share one String. */
  private final Map<Integer, String> known = new HashMap<>();

  FunctionTable(long base, FunctionColumns columns, List<ElfBytes> strings) {
    this.base = base;
    this.columns = columns;
    this.strings = strings;
  }

  long base() {
    return base;
  }

  FunctionColumns columns() {
    return columns;
  }

  int size() {
    return columns.count();
  }

  /** Bytes on the heap; none for a mapped file. */
  long bytes() {
    return columns instanceof FunctionColumns.Kept ? (long) BYTES_PER_FUNCTION * size() : 0;
  }

  /** The function that an address lies in; -1 if none. */
  int find(long elfAddress) {
    long offset = elfAddress - base;
    if (offset < 0 || offset > 0xffff_ffffL) {
      return -1;
    }
    if (columns instanceof FunctionColumns.Kept) {
      return search(offset);
    }
    try {
      return guard(() -> search(offset));
    } catch (ElfException e) {
      return -1; // its file was truncated
    }
  }

  private int search(long offset) {
    int low = 0;
    int high = columns.count() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Integer.toUnsignedLong(columns.start(middle)) <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    for (int i = high; i >= 0 && i > high - MAX_NESTED; i--) {
      long into = offset - Integer.toUnsignedLong(columns.start(i));
      if (into < Integer.toUnsignedLong(columns.size(i))) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Where a function starts.
   *
   * @throws ElfException if its file no longer says so
   */
  long elfAddress(int function) {
    return base + Integer.toUnsignedLong(guard(() -> columns.start(function)));
  }

  private int guard(IntSupplier reader) {
    return columns instanceof FunctionColumns.Kept
        ? reader.getAsInt()
        : LostPages.guard("functions", reader::getAsInt);
  }

  /**
   * The name without a symbol version ({@code memcpy@@GLIBC_2.14}), as {@code style} shows it. Pass
   * the same style each time, because names are cached.
   *
   * @throws ElfException if the file no longer has it
   */
  String name(int function, UnaryOperator<String> style) {
    String name = known.get(function);
    if (name == null) {
      name = style.apply(read(guard(() -> columns.name(function))));
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
