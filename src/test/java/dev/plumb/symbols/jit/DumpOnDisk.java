package dev.plumb.symbols.jit;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import java.nio.file.Path;
import java.util.Optional;

/** A dump without its process. */
final class DumpOnDisk implements AutoCloseable {
  private final FileWindow window = new FileWindow();
  private final JitDump dump = new JitDump(16L << 20);
  private final Fd file;

  DumpOnDisk(Path path) {
    file = SystemCalls.open(path.toString(), SystemCalls.O_RDONLY);
    dump.refresh(file, SystemCalls.statx(file), window);
  }

  Optional<JitFunction> at(long processAddress, long time) {
    return dump.at(file, window, processAddress, time);
  }

  int count() {
    return dump.count();
  }

  @Override
  public void close() {
    file.close();
    window.close();
  }
}
