package dev.plumb.cli.options;

import dev.plumb.server.local.StoreSocketClient;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.engine.Store;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option for the folder of the store. */
public final class StoreFolder {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "Folder of the store (default: the one that plumb serve uses).")
  private Optional<Path> folder = Optional.empty();

  public ReadableStore open() {
    return open(folder.orElseGet(StateFolder::store));
  }

  /** Asks a running serve about its store; else opens the store. */
  public static ReadableStore open(Path folder) {
    Optional<StoreSocketClient> asked = StoreSocketClient.find(folder);
    return asked.isPresent() ? asked.orElseThrow() : Store.openToRead(folder);
  }
}
