package dev.plumb.dwarf;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.LostPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The units of a file as a {@link UnitStore} saves them, in the machine's byte order:
 *
 * <pre>
 *  0 u64 size of .debug_info   24 u64 number of units   40 u64 per unit: where its header is
 *  8 u64 base of the code      32 u64 number of spans      u32 per span: its start
 * 16 u64 size of the code                                  u32 per span: its value
 * </pre>
 *
 * Loading checks as much as is needed so that bad content can cause nothing worse than wrong names.
 */
record SavedUnits(long[] offsets, Spans spans) {
  private static final int HEADER = 40;

  static Optional<SavedUnits> load(UnitStore store, DwarfSections sections, CodeSpace space) {
    try (Arena arena = Arena.ofConfined()) {
      return store
          .load(arena)
          .flatMap(bytes -> LostPages.guard("saved units", () -> read(bytes, sections, space)));
    } catch (ElfException | OutOfMemoryError e) {
      return Optional.empty(); // then the units are searched
    }
  }

  void save(UnitStore store, DwarfSections sections, CodeSpace space) {
    long[] header = {
      sections.info.size(), space.base(), space.size(), offsets.length, spans.starts().length
    };
    store.save(
        List.of(
            MemorySegment.ofArray(header),
            MemorySegment.ofArray(offsets),
            MemorySegment.ofArray(spans.starts()),
            MemorySegment.ofArray(spans.values())));
  }

  private static Optional<SavedUnits> read(
      MemorySegment bytes, DwarfSections sections, CodeSpace space) {
    if (bytes.byteSize() < HEADER
        || number(bytes, 0) != sections.info.size()
        || number(bytes, 1) != space.base()
        || number(bytes, 2) != space.size()) {
      return Optional.empty();
    }
    long units = number(bytes, 3);
    long ranges = number(bytes, 4);
    long most = bytes.byteSize() / 8;
    if (units < 0
        || ranges < 0
        || units > most
        || ranges > most
        || bytes.byteSize() != HEADER + 8 * (units + ranges)) {
      return Optional.empty();
    }
    long[] offsets = new long[(int) units];
    int[] starts = new int[(int) ranges];
    int[] values = new int[(int) ranges];
    long startsAt = HEADER + 8 * units;
    MemorySegment.copy(bytes, JAVA_LONG_UNALIGNED, HEADER, offsets, 0, offsets.length);
    MemorySegment.copy(bytes, JAVA_INT_UNALIGNED, startsAt, starts, 0, starts.length);
    MemorySegment.copy(bytes, JAVA_INT_UNALIGNED, startsAt + 4 * ranges, values, 0, values.length);
    return areOffsets(offsets, sections.info.size()) && areSpans(starts, values, offsets.length)
        ? Optional.of(new SavedUnits(offsets, new Spans(starts, values)))
        : Optional.empty();
  }

  private static long number(MemorySegment bytes, int which) {
    return bytes.get(JAVA_LONG_UNALIGNED, 8L * which);
  }

  private static boolean areOffsets(long[] offsets, long size) {
    long before = -1;
    for (long offset : offsets) {
      if (offset <= before || offset >= size) {
        return false;
      }
      before = offset;
    }
    return true;
  }

  private static boolean areSpans(int[] starts, int[] values, int units) {
    long before = -1;
    for (int i = 0; i < starts.length; i++) {
      long start = Integer.toUnsignedLong(starts[i]);
      if (start <= before || values[i] != Spans.NONE && !UnitIndex.isUnit(values[i], units)) {
        return false;
      }
      before = start;
    }
    return true;
  }
}
