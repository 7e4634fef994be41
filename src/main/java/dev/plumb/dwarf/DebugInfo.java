package dev.plumb.dwarf;

import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A file's debug information: address → functions and lines. A unit is read at the first lookup of
 * an address in it, and the last ones read are cached; so look up neighbouring addresses one after
 * the other.
 *
 * <p>Never fails: what is broken is missing. For one thread at a time; the file must stay open.
 */
public final class DebugInfo {
  /** The default size of the cache of units. */
  private static final long DEFAULT_BYTES = 16L << 20;

  /**
   * How many bytes of units may be read per lookup, on average. Without a limit, two units that are
   * too large for the cache together could be read again for every address.
   */
  private static final long WORK_A_LOOKUP = 4L << 20;

  /** How much may be read in addition, as a multiple of all there is. */
  private static final int WORK_AT_START = 8;

  /** The size that a unit without lines counts as. */
  private static final long NOTHING = 64;

  /** More functions inlined into each other than any compiler makes. */
  private static final int MAX_INLINED = 512;

  private final String name;
  private final CodeSpace space;
  private final DwarfFile file;
  private final UnitIndex index;
  private final SplitFiles split;
  private final ByteBoundCache<Integer, UnitFunctions> functions;
  private final ByteBoundCache<Integer, Optional<LineTable>> lines;

  private long work;

  private DebugInfo(
      String name, CodeSpace space, DwarfFile file, UnitIndex index, SplitFiles split, long bytes) {
    this.split = split;
    this.name = name;
    this.space = space;
    this.file = file;
    this.index = index;
    this.work = WORK_AT_START * (file.sections.info.size() + file.sections.line.size());
    this.functions = new ByteBoundCache<>(bytes / 2, UnitFunctions::bytes);
    this.lines =
        new ByteBoundCache<>(bytes / 2, table -> table.map(LineTable::bytes).orElse(NOTHING));
  }

  /** For a file that contains everything itself. */
  public static DebugInfo of(ElfFile elf) {
    return of(elf, Optional.empty(), SplitFiles.NONE, UnitStore.NONE, DEFAULT_BYTES);
  }

  /**
   * For a file and those that parts of its debug information were moved to; all must stay open.
   *
   * @param alternate where dwz moved what several files have in common; see {@link AlternateLink}
   * @param split where the compiler put the entries of units
   * @param store saves the places of the units
   * @param bytes the size of the cache of units
   */
  public static DebugInfo of(
      ElfFile elf, Optional<ElfFile> alternate, SplitFiles split, UnitStore store, long bytes) {
    try {
      return LostPages.guard(
          elf.name(),
          () -> {
            CodeSpace space = CodeSpace.of(elf);
            Optional<DwarfFile> other =
                alternate.map(a -> new DwarfFile(DwarfSections.of(a), Optional.empty()));
            DwarfSections sections = DwarfSections.of(elf);
            SavedUnits units =
                SavedUnits.load(store, sections, space)
                    .orElseGet(() -> findUnits(sections, space, store));
            DwarfFile file = new DwarfFile(sections, other, units.offsets());
            UnitIndex index = new UnitIndex(units.spans());
            return new DebugInfo(elf.name(), space, file, index, split, bytes);
          });
    } catch (ElfException e) {
      DwarfFile none = new DwarfFile(DwarfSections.NONE, Optional.empty());
      CodeSpace space = CodeSpace.NONE;
      return new DebugInfo(elf.name(), space, none, UnitIndex.of(none, space), split, bytes);
    }
  }

  private static SavedUnits findUnits(DwarfSections sections, CodeSpace space, UnitStore store) {
    DwarfFile file = new DwarfFile(sections, Optional.empty());
    SavedUnits units = new SavedUnits(file.unitOffsets(), UnitIndex.of(file, space).spans());
    units.save(store, sections, space);
    return units;
  }

  /** Whether there is anything at all. */
  public boolean isEmpty() {
    return file.unitCount() == 0;
  }

  /** The memory outside the heap for sections that are compressed in the file. */
  public long decompressedBytes() {
    return file.sections.decompressedBytes();
  }

  /** The memory in use on the heap. */
  public long bytes() {
    return index.bytes() + functions.bytes() + lines.bytes();
  }

  /**
   * The functions at an address, innermost first: those inlined there, then the function itself.
   * The name is empty if only the line is known; the list is empty if nothing is known.
   */
  public List<SourceFrame> frames(long elfAddress) {
    long offset = space.offset(elfAddress);
    if (offset < 0) {
      return List.of();
    }
    try {
      return LostPages.guard(name, () -> framesAt(offset));
    } catch (ElfException | DwarfException e) {
      return List.of();
    }
  }

  private List<SourceFrame> framesAt(long offset) {
    int number = index.find(offset);
    work += WORK_A_LOOKUP;
    if (number < 0) {
      return List.of();
    }
    Unit unit = file.unit(number);
    Optional<LineTable> table = lines(number, unit);
    int row = table.isPresent() ? table.get().find(offset) : -1;
    String path = row < 0 ? "" : table.get().path(row);
    int line = path.isEmpty() ? 0 : table.get().line(row);
    UnitFunctions known = functions(number, unit);
    int function = known.find(offset);
    if (function < 0) {
      return path.isEmpty() ? List.of() : List.of(new SourceFrame("", "", path, line, false));
    }
    List<SourceFrame> frames = new ArrayList<>(4);
    for (; function >= 0 && frames.size() < MAX_INLINED; function = known.outer()[function]) {
      FunctionEntry entry = known.entry(function);
      frames.add(new SourceFrame(entry.name(), entry.linkageName(), path, line, entry.inlined()));
      path = table.isPresent() ? table.get().files().path(entry.callFile()) : "";
      line = entry.callLine();
    }
    return Collections.unmodifiableList(frames);
  }

  private UnitFunctions functions(int number, Unit unit) {
    UnitFunctions known = functions.get(number);
    if (known == null) {
      if (work < 0) {
        return UnitFunctions.none(unit);
      }
      Unit entries = split.unitOf(unit).orElse(unit);
      known = FunctionScan.of(entries, space);
      work -= entries.header.end() - entries.header.offset();
      functions.put(number, known);
    }
    return known;
  }

  private Optional<LineTable> lines(int number, Unit unit) {
    Optional<LineTable> known = lines.get(number);
    if (known == null) {
      if (work < 0) {
        return Optional.empty();
      }
      known = LineProgram.run(unit, space);
      work -= known.map(LineTable::bytes).orElse(NOTHING);
      lines.put(number, known);
    }
    return known;
  }
}
