package dev.plumb.symbols;

import dev.plumb.linux.FileIdentity;
import dev.plumb.symbols.debugfile.DebugFile;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The debug files used last, kept open, by the files that they belong to. Thread-safe. */
final class OpenDebugFiles implements AutoCloseable {
  private static final int MAX_HELD = 128;

  private final Map<FileIdentity, DebugFile> held = new LinkedHashMap<>(16, 0.75f, true);

  /** The debug file of {@code owner}, if it is here. */
  synchronized Optional<DebugFile> find(FileIdentity owner) {
    return Optional.ofNullable(held.get(owner)).flatMap(DebugFile::again);
  }

  /** Keeps its own descriptor of a debug file; the caller still closes his. */
  synchronized void hold(FileIdentity owner, DebugFile file) {
    if (held.containsKey(owner)) {
      return;
    }
    file.again().ifPresent(again -> held.put(owner, again));
    Iterator<DebugFile> eldest = held.values().iterator();
    while (held.size() > MAX_HELD) {
      eldest.next().close();
      eldest.remove();
    }
  }

  @Override
  public synchronized void close() {
    held.values().forEach(DebugFile::close);
    held.clear();
  }
}
