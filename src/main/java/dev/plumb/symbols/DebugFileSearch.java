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
 * The places where debug files are searched: this machine, the roots of containers for their files,
 * and last the debuginfod servers. Files that were found stay open, so that a module that is read
 * again has them even if they were deleted meanwhile.
 */
final class DebugFileSearch implements AutoCloseable {
  /** The maximum number of split units mapped at once: the kernel limits mappings. */
  private static final int MAX_SPLIT = 4096;

  private final Map<RootFolder, DebugFiles> containers = new HashMap<>();
  private final OpenDebugFiles held = new OpenDebugFiles();

  /** The same as {@link #containers}, for the thread that calls {@link #hold}. */
  private final Map<RootFolder, DebugFiles> early = new HashMap<>();

  private Optional<DebugFiles> host = Optional.empty();
  private boolean hostOpened;
  private Optional<SymbolCacheFolder> folder = SymbolCacheFolder.ofUser(System.getenv());
  private long leastIndexed = IndexFiles.LEAST;
  private int splitOpen;
  private Optional<Debuginfod> server = Optional.empty();

  /** Where large compressed sections are decompressed to. */
  Optional<DecompressedSections> decompressed() {
    return folder.map(DecompressedSections::new);
  }

  /** Where the functions and units of large files are saved. */
  Optional<IndexFiles> indexes() {
    return folder.map(f -> new IndexFiles(f, leastIndexed));
  }

  /** Saves both in another folder than the user's; indexes only from {@code least} bytes on. */
  void keepIn(SymbolCacheFolder other, long least) {
    folder = Optional.of(other);
    leastIndexed = least;
  }

  /** From now on, requests from this server what is not on this machine. */
  void ask(Debuginfod debuginfod) {
    server = Optional.of(debuginfod);
  }

  /** From the server, if there is one. */
  Optional<DebugFile> fetch(String buildId) {
    return server.flatMap(s -> s.find(buildId));
  }

  /** For what belongs to a file. */
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

  /** Debug files found before. */
  OpenDebugFiles held() {
    return held;
  }

  /** Finds the debug file of a container's file and keeps it open; runs on another thread. */
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

  /** Reports which files were refused and why. */
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
