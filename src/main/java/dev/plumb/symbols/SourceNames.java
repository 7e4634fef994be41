package dev.plumb.symbols;

import dev.plumb.dwarf.DebugInfo;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.dwarf.SplitFiles;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import dev.plumb.symbols.go.GoFunctions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The functions, inlined functions and lines of one file's code: from Go's own table, else from
 * DWARF in the file or in its debug file. Looked for when first asked, and then kept open.
 */
final class SourceNames implements AutoCloseable {
  static final SourceNames NONE = new SourceNames(Optional.empty(), "", Optional.empty());

  /** What is kept of DWARF in the heap, for each file that has some. */
  private static final long CACHE_BYTES = 4 << 20;

  /** Compressed sections are unpacked into memory, to about three times their size. */
  private static final long MAX_COMPRESSED = 12 << 20;

  private final Optional<Path> path;
  private final String seenPath;
  private final Optional<DebugFiles> debugFiles;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Optional<GoFunctions> go = Optional.empty();
  private Optional<DebugInfo> dwarf = Optional.empty();
  private boolean looked;

  private SourceNames(Optional<Path> path, String seenPath, Optional<DebugFiles> debugFiles) {
    this.path = path;
    this.seenPath = seenPath;
    this.debugFiles = debugFiles;
  }

  /**
   * @param seenPath where the process saw the file: its debug file is looked for from there
   */
  static SourceNames of(Path path, String seenPath, Optional<DebugFiles> debugFiles) {
    return new SourceNames(Optional.of(path), seenPath, debugFiles);
  }

  /** What was inlined at an address, innermost first, then its function; empty if not known. */
  List<SourceFrame> at(long elfAddress) {
    if (!looked) {
      looked = true;
      path.ifPresent(this::look);
    }
    if (go.isPresent()) {
      List<SourceFrame> frames = go.get().frames(elfAddress);
      if (!frames.isEmpty()) {
        return frames; // else it is C code of a Go program
      }
    }
    return dwarf.map(info -> info.frames(elfAddress)).orElse(List.of());
  }

  private void look(Path file) {
    try {
      ElfFile elf = keep(ElfFile.open(file));
      go = GoFunctions.of(elf);
      if (elf.section(".debug_info").isPresent() || elf.section(".zdebug_info").isPresent()) {
        dwarf = dwarfOf(elf);
      } else if (go.isEmpty()) {
        Optional<DebugFile> separate = debugFiles.flatMap(d -> d.find(elf, seenPath));
        separate.ifPresent(open::add);
        dwarf = separate.flatMap(debugFile -> dwarfOf(keep(debugFile.open())));
      }
    } catch (ElfException | OutOfMemoryError e) {
      dwarf = Optional.empty(); // names are left, from the symbol table
    }
  }

  private Optional<DebugInfo> dwarfOf(ElfFile elf) {
    if (compressed(elf) > MAX_COMPRESSED) {
      return Optional.empty();
    }
    Optional<DebugFile> found = debugFiles.flatMap(d -> d.findAlternate(elf, seenPath));
    found.ifPresent(open::add);
    Optional<ElfFile> alternate = found.map(file -> keep(file.open()));
    DebugInfo info = DebugInfo.of(elf, alternate, SplitFiles.NONE, CACHE_BYTES);
    return info.isEmpty() ? Optional.empty() : Optional.of(info);
  }

  private static long compressed(ElfFile elf) {
    long bytes = 0;
    for (Section section : elf.sections()) {
      boolean packed = (section.flags() & Section.SHF_COMPRESSED) != 0;
      if (packed || section.name().startsWith(".zdebug_")) {
        bytes += section.size();
      }
    }
    return bytes;
  }

  private ElfFile keep(ElfFile elf) {
    open.add(elf);
    return elf;
  }

  @Override
  public void close() {
    go = Optional.empty();
    dwarf = Optional.empty();
    for (AutoCloseable resource : open.reversed()) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new IllegalStateException("closing what belongs to " + seenPath, e);
      }
    }
    open.clear();
  }
}
