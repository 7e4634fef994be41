package dev.plumb.symbols;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.RootFolder;
import dev.plumb.process.BackingFile;
import dev.plumb.symbols.debugfile.DebugFile;
import dev.plumb.symbols.debugfile.DebugFiles;
import dev.plumb.symbols.debugfile.Debuginfod;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where debug files are looked for: on this machine, and for files of containers below their own
 * roots; in the end on debuginfod servers. Files that were found are held, so that a module that is
 * read again finds them even if they were deleted meanwhile.
 */
final class DebugFileSearch implements AutoCloseable {
  /** Split units that are mapped at once, of all files: the kernel bounds mappings. */
  private static final int MAX_SPLIT = 4096;

  private final Map<RootFolder, DebugFiles> containers = new HashMap<>();
  private final OpenDebugFiles held = new OpenDebugFiles();

  /** The same as {@link #containers}, for the one who calls {@link #hold}. */
  private final Map<RootFolder, DebugFiles> early = new HashMap<>();

  private Optional<DebugFiles> host = Optional.empty();
  private boolean hostOpened;
  private Optional<SymbolCacheFolder> folder = SymbolCacheFolder.ofUser(System.getenv());
  private long leastIndexed = IndexFiles.LEAST;
  private int splitOpen;
  private Optional<Debuginfod> server = Optional.empty();

  /** Where large compressed sections are unpacked to. */
  Optional<DecompressedSections> decompressed() {
    return folder.map(DecompressedSections::new);
  }

  /** Where what was learnt of large files is kept. */
  Optional<IndexFiles> indexes() {
    return folder.map(f -> new IndexFiles(f, leastIndexed));
  }

  /** Both elsewhere than in the user's folder; indexes if they have so many bytes. */
  void keepIn(SymbolCacheFolder other, long least) {
    folder = Optional.of(other);
    leastIndexed = least;
  }

  /** From now on, what is not on this machine is asked for there. */
  void ask(Debuginfod debuginfod) {
    server = Optional.of(debuginfod);
  }

  /** From a server, if any is to be asked. */
  Optional<DebugFile> fetch(String buildId) {
    return server.flatMap(s -> s.find(buildId));
  }

  /** What belongs to a file. */
  DebugFileResolver of(BackingFile file) {
    return new DebugFileResolver(this, file.path(), file.identity(), file.root().map(this::in));
  }

  private DebugFiles in(RootFolder root) {
    return containers.computeIfAbsent(root, DebugFiles::in);
  }

  Optional<DebugFiles> host() {
    if (!hostOpened) {
      host = DebugFiles.ofHost();
      hostOpened = true;
    }
    return host;
  }

  /** Debug files that were found before. */
  OpenDebugFiles held() {
    return held;
  }

  /** Finds and holds the debug file of a container's file; on another thread. */
  void hold(Path readable, BackingFile file) {
    if (file.root().isEmpty() || file.identity().isEmpty()) {
      return;
    }
    DebugFiles files;
    synchronized (early) {
      files = early.computeIfAbsent(file.root().get(), DebugFiles::in);
    }
    try (ElfFile elf = ElfFile.open(readable)) {
      Optional<DebugFile> found =
          elf.section(".debug_info").isPresent() ? Optional.empty() : files.find(elf, file.path());
      if (found.isPresent()) {
        held.hold(file.identity().get(), found.get());
        found.get().close();
      }
    } catch (ElfException e) {
      return; // it will have no names either
    }
  }

  /** Whether one more split unit may be opened. */
  boolean takeSplit() {
    return splitOpen < MAX_SPLIT && splitOpen++ < MAX_SPLIT;
  }

  void giveBackSplit(int count) {
    splitOpen -= count;
  }

  /** What was refused and why. */
  void problems(Consumer<String> note) {
    host.ifPresent(files -> files.refusals().forEach(note));
    containers.values().forEach(files -> files.refusals().forEach(note));
    server.ifPresent(s -> s.problems().forEach(note));
  }

  @Override
  public void close() {
    held.close();
    containers.clear(); // their roots belong to whoever opened them
    host.ifPresent(DebugFiles::close);
    host = Optional.empty();
    hostOpened = false;
  }
}
