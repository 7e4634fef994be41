package dev.plumb.cli.history;

import dev.plumb.cli.files.FileCommand;
import dev.plumb.store.StoreException;
import java.io.IOException;

/** What commands on the store share. */
abstract class StoreCommand extends FileCommand {
  @Override
  protected final int run() throws IOException {
    try {
      return ask();
    } catch (StoreException e) {
      return failed(e.getMessage());
    } catch (IllegalArgumentException e) {
      return wrongUsage(e.getMessage());
    }
  }

  abstract int ask() throws IOException;
}
