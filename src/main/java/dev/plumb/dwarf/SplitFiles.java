package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.DwarfSections;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The files that {@code -gsplit-dwarf} moved the entries of units to: one per unit (.dwo), or one
 * package for all (.dwp). Owns the files that it opens.
 */
public final class SplitFiles implements AutoCloseable {
  /** The maximum number of open files. */
  private static final int MAX_OPEN = 1024;

  /** For a file without split units. */
  public static final SplitFiles NONE = new SplitFiles(Optional::empty, path -> Optional.empty());

  private final Supplier<Optional<ElfFile>> dwp;
  private final Function<String, Optional<ElfFile>> opener;
  private final Map<String, Optional<ElfFile>> opened = new HashMap<>();
  private Optional<SplitPackage> known = Optional.empty();
  private boolean looked;

  /**
   * Uses a package, requested at the first search for a unit; the caller still closes it.
   *
   * @param opener opens a file by the path that the compiler wrote it to, if it exists: the path
   *     comes from a file, so the caller decides which ones it opens
   */
  public SplitFiles(Supplier<Optional<ElfFile>> dwp, Function<String, Optional<ElfFile>> opener) {
    this.dwp = dwp;
    this.opener = opener;
  }

  /** The unit that has the entries of {@code skeleton}; empty if it has them itself. */
  Optional<Unit> unitOf(Unit skeleton) {
    if (!skeleton.isSkeleton()) {
      return Optional.empty();
    }
    try {
      DwarfSections main = skeleton.file.sections;
      Optional<DwarfSections> sections = packaged(skeleton);
      if (sections.isEmpty()) {
        String path = LineFiles.resolve(skeleton.directory(), skeleton.dwoName());
        sections = open(path).map(file -> DwarfSections.split(file, main));
      }
      return sections.flatMap(s -> find(new DwarfFile(s, Optional.empty()), skeleton));
    } catch (ElfException | DwarfException e) {
      return Optional.empty();
    }
  }

  private Optional<DwarfSections> packaged(Unit skeleton) {
    if (!looked) {
      looked = true;
      known = dwp.get().map(SplitPackage::of);
    }
    return known.flatMap(p -> p.find(skeleton.dwoId, skeleton.file.sections));
  }

  private Optional<ElfFile> open(String path) {
    if (!opened.containsKey(path) && opened.size() < MAX_OPEN) {
      opened.put(path, opener.apply(path));
    }
    return opened.getOrDefault(path, Optional.empty());
  }

  /** Finds the unit in such a file; its first units may be types. */
  private static Optional<Unit> find(DwarfFile file, Unit skeleton) {
    for (int i = 0; i < file.unitCount(); i++) {
      Unit unit = file.unit(i);
      if (unit.dwoId == skeleton.dwoId && unit.header.type() != Dw.UT_SPLIT_TYPE) {
        unit.adopt(skeleton);
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() {
    opened.values().forEach(file -> file.ifPresent(ElfFile::close));
    opened.clear();
  }
}
