package dev.plumb.symbols;

import dev.plumb.linux.FileIdentity;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The modules used last, up to a number of bytes; others are closed and read again when needed. The
 * key is the file's identity: a file that many processes map is read once, and a file that replaced
 * it is a different one.
 */
final class ModuleCache implements AutoCloseable {
  private final long ceiling;
  private final Map<FileIdentity, ElfModule> modules = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;
  private long loads;

  ModuleCache(long ceiling) {
    this.ceiling = ceiling;
  }

  ElfModule get(FileIdentity identity, Supplier<ElfModule> reader) {
    ElfModule known = modules.get(identity);
    if (known != null) {
      return known;
    }
    ElfModule module = reader.get();
    loads++;
    makeRoom(module.bytes());
    modules.put(identity, module);
    bytes += module.bytes();
    return module;
  }

  /** Closes those for which reading again may give more names. */
  void forgetIf(Predicate<ElfModule> which) {
    for (Iterator<ElfModule> all = modules.values().iterator(); all.hasNext(); ) {
      ElfModule module = all.next();
      if (which.test(module)) {
        bytes -= module.bytes();
        all.remove();
        module.close();
      }
    }
  }

  /** The module, if it is in the cache. */
  Optional<ElfModule> known(FileIdentity identity) {
    return Optional.ofNullable(modules.get(identity));
  }

  /** Closes the least recently used ones; the new one is kept whatever its size. */
  private void makeRoom(long wanted) {
    Iterator<ElfModule> eldest = modules.values().iterator();
    while (bytes + wanted > ceiling && eldest.hasNext()) {
      ElfModule module = eldest.next();
      bytes -= module.bytes();
      eldest.remove();
      module.close();
    }
  }

  /** Gives memory back while there are no lookups. */
  void rest() {
    modules.values().forEach(module -> module.sources().rest());
  }

  long bytes() {
    return bytes;
  }

  /** How many files were read; one that was read twice counts twice. */
  long loads() {
    return loads;
  }

  @Override
  public void close() {
    modules.values().forEach(ElfModule::close);
    modules.clear();
    bytes = 0;
  }
}
