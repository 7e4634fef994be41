package dev.plumb.symbols;

import dev.plumb.dwarf.AlternateLink;
import dev.plumb.dwarf.UnitStore;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.FileIdentity;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * Finds and opens what belongs to one mapped file but lies in other files: its debug file, the
 * parts that dwz moved out of that, the units that {@code -gsplit-dwarf} split off, and what {@link
 * IndexFiles} saved about it. It searches where the process that mapped the file would search. The
 * debug file of a container's file may be on the host too, but is found there by build id only,
 * because a path means a different file there.
 */
final class DebugFileResolver {
  private final DebugFileSearch search;
  private final String seenPath;
  private final Optional<FileIdentity> identity;
  private final Optional<DebugFiles> container;

  /**
   * @param seenPath where the process saw the file
   * @param container where that process searches, if its root is not ours
   */
  DebugFileResolver(
      DebugFileSearch search,
      String seenPath,
      Optional<FileIdentity> identity,
      Optional<DebugFiles> container) {
    this.search = search;
    this.seenPath = seenPath;
    this.identity = identity;
    this.container = container;
  }

  String seenPath() {
    return seenPath;
  }

  Optional<FileIdentity> identity() {
    return identity;
  }

  /**
   * Decompresses sections of this file, or of one that belongs to it, to disk; false if not done.
   */
  boolean decompress(ElfFile elf, Optional<FileIdentity> which) {
    return which.isPresent()
        && search.decompressed().filter(d -> d.provide(elf, which.get())).isPresent();
  }

  /**
   * Where the functions of {@code elf}, which is this file, are saved.
   *
   * @param other the file that its symbols were moved to
   */
  Optional<SavedFunctions> savedFunctions(ElfFile elf, Optional<FileIdentity> other) {
    return identity.flatMap(
        file ->
            search
                .indexes()
                .map(i -> new SavedFunctions(i, new IndexFiles.Key(buildId(elf), file, other))));
  }

  /** Where the units of {@code elf}, which is this file or its debug file, are saved. */
  UnitStore unitStore(ElfFile elf, Optional<FileIdentity> which) {
    Optional<IndexFiles> indexes = search.indexes();
    if (which.isEmpty() || indexes.isEmpty()) {
      return UnitStore.NONE;
    }
    IndexFiles.Key key = new IndexFiles.Key(buildId(elf), which.get(), Optional.empty());
    return new UnitStore() {
      @Override
      public Optional<MemorySegment> load(Arena arena) {
        return indexes.get().load(IndexFiles.Kind.UNITS, key, arena);
      }

      @Override
      public void save(List<MemorySegment> parts) {
        indexes.get().save(IndexFiles.Kind.UNITS, key, parts);
      }
    };
  }

  /** The debug file of {@code elf}, which is this file. */
  Optional<DebugFile> debugFile(ElfFile elf) {
    Optional<DebugFile> known = identity.flatMap(search.held()::find);
    if (known.isPresent()) {
      return known;
    }
    Optional<DebugFile> found =
        own()
            .flatMap(files -> files.find(elf, seenPath))
            .or(() -> onHost(elf))
            .or(() -> search.fetch(buildId(elf)));
    if (found.isPresent() && identity.isPresent()) {
      search.held().hold(identity.get(), found.get());
    }
    return found;
  }

  private static String buildId(ElfFile elf) {
    try {
      return elf.buildId().orElse("");
    } catch (ElfException e) {
      return "";
    }
  }

  private Optional<DebugFile> onHost(ElfFile elf) {
    return container.isEmpty() ? Optional.empty() : search.host().flatMap(h -> h.find(elf, ""));
  }

  private Optional<DebugFiles> own() {
    return container.isPresent() ? container : search.host();
  }

  /**
   * The file that dwz moved parts of {@code elf} to; {@code elf} is this file or its debug file.
   */
  Optional<DebugFile> alternate(ElfFile elf, String path) {
    return own()
        .flatMap(files -> files.findAlternate(elf, path))
        .or(
            () ->
                container.isEmpty()
                    ? Optional.empty()
                    : search.host().flatMap(h -> h.findAlternate(elf, path)))
        .or(() -> AlternateLink.of(elf).flatMap(link -> search.fetch(link.buildId())));
  }

  /** All split units in one package, beside the file. */
  Optional<DebugFile> splitPackage() {
    return own().flatMap(files -> files.openElf(seenPath + ".dwp"));
  }

  /**
   * A split unit: at the path that the compiler wrote it to, else beside the file. Call {@link
   * #giveBackSplit} after closing it.
   */
  Optional<ElfFile> splitUnit(String path) {
    if (!search.takeSplit()) {
      return Optional.empty();
    }
    String beside =
        seenPath.substring(0, seenPath.lastIndexOf('/') + 1)
            + path.substring(path.lastIndexOf('/') + 1);
    Optional<ElfFile> found = openSplit(path).or(() -> openSplit(beside));
    if (found.isEmpty()) {
      search.giveBackSplit(1);
    }
    return found;
  }

  private Optional<ElfFile> openSplit(String path) {
    if (!path.startsWith("/")) {
      return Optional.empty();
    }
    Optional<DebugFile> file = own().flatMap(files -> files.openElf(path));
    if (file.isEmpty()) {
      return Optional.empty();
    }
    try (DebugFile opened = file.get()) {
      return Optional.of(opened.open());
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  void giveBackSplit(int count) {
    search.giveBackSplit(count);
  }
}
