package dev.plumb.process;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.RootFolder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What is behind a mapping: a file, or memory without a file. A file is kept open, so that it can
 * be read after it was deleted or replaced, or after its process has ended. There is one object per
 * file, however many processes map it; symbols are cached by it.
 */
public final class BackingFile implements AutoCloseable {
  /** The kind of memory. */
  public enum Kind {
    FILE,
    VDSO,
    ANONYMOUS
  }

  private final Kind kind;
  private final String path;
  private final Optional<Fd> fd;
  private final Optional<FileIdentity> identity;
  private final Optional<RootFolder> root;
  private volatile boolean closed;

  private BackingFile(
      Kind kind,
      String path,
      Optional<Fd> fd,
      Optional<FileIdentity> identity,
      Optional<RootFolder> root) {
    this.kind = kind;
    this.path = path;
    this.fd = fd;
    this.identity = identity;
    this.root = root;
  }

  private BackingFile(Kind kind, String path) {
    this(kind, path, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** A file that was opened in time; takes over the descriptor. */
  public static BackingFile ofOpen(String path, Fd fd, FileIdentity identity) {
    return ofOpen(path, fd, identity, Optional.empty());
  }

  /**
   * The same.
   *
   * @param root the root directory of the process that mapped it, if it is not ours; the caller
   *     closes it
   */
  public static BackingFile ofOpen(
      String path, Fd fd, FileIdentity identity, Optional<RootFolder> root) {
    return new BackingFile(Kind.FILE, path, Optional.of(fd), Optional.of(identity), root);
  }

  /** A file that could not be opened: its name is all there is. */
  public static BackingFile ofLost(String path) {
    return new BackingFile(Kind.FILE, path);
  }

  public static BackingFile vdso() {
    return new BackingFile(Kind.VDSO, "[vdso]");
  }

  /** Memory without a file: {@code //anon}, {@code [heap]}, JIT code. */
  public static BackingFile anonymous(String name) {
    return new BackingFile(Kind.ANONYMOUS, name);
  }

  public Kind kind() {
    return kind;
  }

  /** As the process saw it, without the kernel's {@code " (deleted)"}. */
  public String path() {
    return path;
  }

  /** The last part of the path. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  public Optional<FileIdentity> identity() {
    return identity;
  }

  /**
   * The root directory of the process that mapped it first: what belongs to the file is found
   * there. Empty if it is our own root. It may be gone by now, but files that were opened in it
   * stay open.
   */
  public Optional<RootFolder> root() {
    return root;
  }

  /** A path by which this process can open the file while this object is open. */
  public Optional<Path> readable() {
    return closed ? Optional.empty() : fd.map(f -> Path.of("/proc/self/fd/" + f.number()));
  }

  @Override
  public void close() {
    closed = true;
    fd.ifPresent(Fd::close);
  }
}
