package dev.plumb.symbols.debugfile;

import dev.plumb.elf.ElfFile;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SystemCalls;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A separate debug file, open.
 *
 * @param path where it was found, below the root that was searched
 */
public record DebugFile(String path, Fd fd) implements AutoCloseable {
  /** A path by which this process can open the file while this object is open. */
  public Path readable() {
    return readable(fd);
  }

  static Path readable(Fd fd) {
    return Path.of("/proc/self/fd/" + fd.number());
  }

  /**
   * The file, mapped; it stays usable when this object is closed.
   *
   * @throws dev.plumb.elf.ElfException if it is no longer an ELF file
   */
  public ElfFile open() {
    return ElfFile.open(readable());
  }

  public FileIdentity identity() {
    return SystemCalls.statx(fd);
  }

  /** A second descriptor of the same file, to be closed separately; empty if there is no more. */
  public Optional<DebugFile> again() {
    int number = SystemCalls.tryOpen(readable().toString(), SystemCalls.O_RDONLY, 0);
    return number < 0 ? Optional.empty() : Optional.of(new DebugFile(path, new Fd(number)));
  }

  @Override
  public void close() {
    fd.close();
  }
}
