package dev.plumb.symbols;

import dev.plumb.dwarf.DebugInfo;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.dwarf.SplitFiles;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.FileIdentity;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.go.GoFunctions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The functions, inlined functions and lines of one file's code: from Go's own table, else from
 * DWARF in the file or in its debug file. They are opened at the first lookup and then stay open.
 */
final class SourceFrames implements AutoCloseable {
  static final SourceFrames NONE = new SourceFrames(Optional.empty(), Optional.empty());

  /** The DWARF cache on the heap, per file. */
  private static final long CACHE_BYTES = 4 << 20;

  /** Larger compressed sections are decompressed to files; in memory they take three times this. */
  private static final long MAX_IN_MEMORY = 1 << 20;

  /** If that is not possible, sections up to this size are decompressed to memory all the same. */
  private static final long MAX_COMPRESSED = 12 << 20;

  private final Optional<Path> path;
  private final Optional<DebugFileResolver> debugFiles;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Optional<GoFunctions> go = Optional.empty();
  private Optional<DebugInfo> dwarf = Optional.empty();
  private boolean looked;
  private boolean lacking;
  private long decompressed;
  private int splitUnits;

  private SourceFrames(Optional<Path> path, Optional<DebugFileResolver> debugFiles) {
    this.path = path;
    this.debugFiles = debugFiles;
  }

  /**
   * @param debugFiles finds what belongs to the file
   */
  static SourceFrames of(Path path, DebugFileResolver debugFiles) {
    return new SourceFrames(Optional.of(path), Optional.of(debugFiles));
  }

  /** The functions inlined at an address, innermost first, then its function; empty if unknown. */
  List<SourceFrame> at(long elfAddress) {
    if (!looked) {
      looked = true;
      if (path.isPresent() && debugFiles.isPresent()) {
        look(path.get(), debugFiles.get());
      }
    }
    if (go.isPresent()) {
      List<SourceFrame> frames = go.get().frames(elfAddress);
      if (!frames.isEmpty()) {
        return frames; // else it is C code of a Go program
      }
    }
    return dwarf.map(info -> info.frames(elfAddress)).orElse(List.of());
  }

  private void look(Path file, DebugFileResolver near) {
    try {
      ElfFile elf = keep(ElfFile.open(file));
      go = GoFunctions.of(elf);
      if (elf.section(".debug_info").isPresent() || elf.section(".zdebug_info").isPresent()) {
        dwarf = dwarfOf(elf, near.seenPath(), near.identity(), near);
      } else if (go.isEmpty()) {
        Optional<DebugFile> separate = near.debugFile(elf);
        lacking = separate.isEmpty();
        separate.ifPresent(open::add);
        dwarf =
            separate.flatMap(
                found ->
                    dwarfOf(keep(found.open()), found.path(), Optional.of(found.identity()), near));
      }
    } catch (ElfException | OutOfMemoryError e) {
      dwarf = Optional.empty(); // the symbol table still gives names
    }
  }

  /** Whether a debug file was searched and not found. */
  boolean lacksDebugFile() {
    return lacking;
  }

  private Optional<DebugInfo> dwarfOf(
      ElfFile elf, String elfPath, Optional<FileIdentity> identity, DebugFileResolver near) {
    long compressed = DecompressedSections.compressedBytes(elf);
    boolean onDisk = compressed > MAX_IN_MEMORY && near.decompress(elf, identity);
    if (!onDisk && compressed > MAX_COMPRESSED) {
      return Optional.empty();
    }
    Optional<DebugFile> found = near.alternate(elf, elfPath);
    found.ifPresent(open::add);
    Optional<ElfFile> alternate = found.map(file -> keep(file.open()));
    SplitFiles split = new SplitFiles(() -> splitPackage(near), name -> splitUnit(near, name));
    open.add(split);
    DebugInfo info =
        DebugInfo.of(elf, alternate, split, near.unitStore(elf, identity), CACHE_BYTES);
    elf.unload(); // opening went through all units; few will be read again
    return info.isEmpty() ? Optional.empty() : Optional.of(info);
  }

  /** Split units may be compressed too; all together have the limit of one file. */
  private boolean mayUnpack(ElfFile elf) {
    long bytes = DecompressedSections.compressedBytes(elf);
    decompressed += bytes;
    return bytes == 0 || decompressed <= MAX_COMPRESSED;
  }

  private Optional<ElfFile> splitPackage(DebugFileResolver near) {
    try {
      Optional<DebugFile> found = near.splitPackage();
      found.ifPresent(open::add);
      return found.map(file -> keep(file.open())).filter(this::mayUnpack);
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  private Optional<ElfFile> splitUnit(DebugFileResolver near, String unit) {
    Optional<ElfFile> found = near.splitUnit(unit);
    if (found.isPresent() && !mayUnpack(found.get())) {
      found.get().close();
      near.giveBackSplit(1);
      return Optional.empty();
    }
    splitUnits += found.isPresent() ? 1 : 0;
    return found;
  }

  /** Gives memory back while there are no lookups. */
  void rest() {
    for (AutoCloseable resource : open) {
      if (resource instanceof ElfFile elf) {
        elf.unload();
      }
    }
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
        throw new IllegalStateException("closing what belongs to " + path, e);
      }
    }
    open.clear();
    debugFiles.ifPresent(near -> near.giveBackSplit(splitUnits));
    splitUnits = 0;
  }
}
