package dev.plumb.linux.kernel;

import dev.plumb.linux.proc.ByteCursor;
import dev.plumb.linux.proc.NamePieces;
import dev.plumb.linux.proc.ProcReader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Collects the lines of {@code /proc/kallsyms} in columns. */
final class KallsymsBuilder implements ProcReader.Lines {
  private static final byte[] DIGITS = new byte[128];

  static {
    Arrays.fill(DIGITS, (byte) -1);
    for (int i = 0; i < 16; i++) {
      DIGITS[Character.forDigit(i, 16)] = (byte) i;
    }
  }

  private final Map<String, Integer> modules = new LinkedHashMap<>(Map.of("", 0));
  private long[] addresses = new long[1 << 16];
  private int[] nameOffsets = new int[1 << 16];
  private short[] moduleIds = new short[1 << 16];
  private final NamePieces names = new NamePieces();
  private int size;
  private boolean sorted = true;
  private long lines;
  private long zeroes;

  /**
   * {@code ffffffff81000000 T _text}, followed by a tab and {@code [module]} if it is in a module.
   * Types other than t, T, w and W are data.
   */
  @Override
  public void line(byte[] bytes, int start, int end) {
    long address = 0;
    int at = start;
    for (; at < end; at++) {
      int digit = bytes[at] < 0 ? -1 : DIGITS[bytes[at]];
      if (digit < 0) {
        break;
      }
      address = address << 4 | digit;
    }
    if (end - at < 4) {
      return;
    }
    int type = bytes[at + 1] | 0x20;
    if (type != 't' && type != 'w') {
      return;
    }
    lines++;
    if (address == 0) {
      zeroes++;
      return;
    }
    if (sorted && size > 0 && address == addresses[size - 1]) {
      return;
    }
    add(address, bytes, at + 3, end);
  }

  private void add(long address, byte[] bytes, int start, int end) {
    int nameEnd = start;
    while (nameEnd < end && bytes[nameEnd] != '\t') {
      nameEnd++;
    }
    if (size == addresses.length) {
      int more = size + (size >> 1);
      addresses = Arrays.copyOf(addresses, more);
      nameOffsets = Arrays.copyOf(nameOffsets, more);
      moduleIds = Arrays.copyOf(moduleIds, more);
    }
    sorted &= size == 0 || Long.compareUnsigned(addresses[size - 1], address) <= 0;
    addresses[size] = address;
    nameOffsets[size] = names.add(bytes, start, nameEnd);
    moduleIds[size++] = nameEnd == end ? 0 : moduleId(bytes, nameEnd + 2, end - 1);
  }

  private short moduleId(byte[] bytes, int start, int end) {
    String name = ByteCursor.text(bytes, start, Math.max(start, end));
    return modules.computeIfAbsent(name, n -> modules.size()).shortValue();
  }

  /** Whether the kernel wrote zeroes instead of addresses. */
  Optional<String> hidden() {
    if (lines == 0) {
      return Optional.of("the kernel lists no functions in " + Kallsyms.FILE);
    }
    return zeroes < lines
        ? Optional.empty()
        : Optional.of(
            "the kernel hides its addresses: run with CAP_SYSLOG, or set"
                + " kernel.kptr_restrict to 1 or 0 and kernel.perf_event_paranoid to 1 or less");
  }

  Kallsyms build(Optional<String> problem) {
    if (!sorted) {
      sort();
    }
    String[] moduleNames = modules.keySet().toArray(String[]::new);
    int[] starts = new int[Math.max(1, size)];
    String[] runs = new String[starts.length];
    runs[0] = "";
    int count = size == 0 ? 1 : 0;
    for (int i = 0; i < size; i++) {
      if (i == 0 || moduleIds[i] != moduleIds[i - 1]) {
        starts[count] = i;
        runs[count++] = moduleNames[moduleIds[i]];
      }
    }
    return new Kallsyms(
        size,
        addresses,
        nameOffsets,
        names,
        Arrays.copyOf(starts, count),
        Arrays.copyOf(runs, count),
        problem);
  }

  /** The kernel itself is sorted, its modules are not, so a merge sort has little to do. */
  private void sort() {
    int[] order = new int[size];
    Arrays.setAll(order, i -> i);
    int[] spare = new int[size];
    for (int width = 1; width < size; width *= 2) {
      for (int low = 0; low < size - width; low += 2 * width) {
        merge(order, spare, low, low + width, Math.min(size, low + 2 * width));
      }
    }
    long[] oldAddresses = addresses;
    int[] oldOffsets = nameOffsets;
    short[] oldModules = moduleIds;
    addresses = new long[size];
    nameOffsets = new int[size];
    moduleIds = new short[size];
    int kept = 0;
    for (int i = 0; i < size; i++) {
      long address = oldAddresses[order[i]];
      if (kept == 0 || addresses[kept - 1] != address) {
        addresses[kept] = address;
        nameOffsets[kept] = oldOffsets[order[i]];
        moduleIds[kept++] = oldModules[order[i]];
      }
    }
    size = kept;
  }

  private void merge(int[] order, int[] spare, int low, int middle, int high) {
    if (compare(order[middle - 1], order[middle]) <= 0) {
      return;
    }
    System.arraycopy(order, low, spare, low, middle - low);
    int left = low;
    int right = middle;
    int to = low;
    while (left < middle) {
      if (right < high && compare(spare[left], order[right]) > 0) {
        order[to++] = order[right++];
      } else {
        order[to++] = spare[left++];
      }
    }
  }

  private int compare(int a, int b) {
    return Long.compareUnsigned(addresses[a], addresses[b]);
  }
}
