package dev.plumb.process;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SystemCalls;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The files behind mappings, each opened once and kept open, so that a file can still be read after
 * it was replaced or deleted or after its process has ended. The number of open files is bounded;
 * further files are counted, and their code has no names.
 */
public final class BackingFiles implements AutoCloseable {
  private record Key(int major, int minor, long inode) {
    // Looked up for each mapping; a record's own equals and hashCode are slow if only C1 compiles.
    @Override
    public boolean equals(Object other) {
      return other instanceof Key k && major == k.major && minor == k.minor && inode == k.inode;
    }

    @Override
    public int hashCode() {
      return (major * 31 + minor) * 31 + Long.hashCode(inode);
    }
  }

  /** A quarter as many roots as files: containers have many files each. */
  private static final int ROOTS_SHARE = 4;

  private static final String DELETED = " (deleted)";

  private final int limit;
  private final Map<Key, BackingFile> held = new HashMap<>();
  private final Map<String, BackingFile> others = new HashMap<>();
  private final BackingFile vdso = BackingFile.vdso();
  private final ProcessRoots roots;
  private long refused;

  public BackingFiles(int limit) {
    this.limit = limit;
    this.roots = new ProcessRoots(Math.max(1, limit / ROOTS_SHARE));
  }

  /**
   * The file of a mapping that the kernel reported.
   *
   * @param name as the kernel writes it: a path, {@code [vdso]}, {@code //anon}, …
   */
  public BackingFile of(
      int pid, long start, long end, int major, int minor, long inode, String name) {
    if (name.equals("[vdso]")) {
      return vdso;
    }
    if (inode == 0 || name.isEmpty() || name.startsWith("[") || name.startsWith("//anon")) {
      return others.computeIfAbsent(name, BackingFile::anonymous);
    }
    Key key = new Key(major, minor, inode);
    BackingFile known = held.get(key);
    if (known != null) {
      return known;
    }
    String path = name.endsWith(DELETED) ? name.substring(0, name.length() - 10) : name;
    if (held.size() >= limit) {
      refused++;
      return others.computeIfAbsent(path, BackingFile::ofLost);
    }
    BackingFile file = open(pid, start, end, key, path);
    if (file == null) {
      return others.computeIfAbsent(path, BackingFile::ofLost);
    }
    held.put(key, file);
    return file;
  }

  private BackingFile open(int pid, long start, long end, Key key, String path) {
    // Through the mapping itself: the same file even if it was renamed. Needs a living process.
    int number =
        SystemCalls.tryOpen(
            "/proc/%d/map_files/%x-%x".formatted(pid, start, end), SystemCalls.O_RDONLY, 0);
    if (number >= 0) {
      Fd fd = new Fd(number);
      return opened(pid, path, fd, SystemCalls.statx(fd));
    }
    for (String candidate : new String[] {"/proc/" + pid + "/root" + path, path}) {
      // Non-blocking: a fifo may have replaced the file.
      number = SystemCalls.tryOpen(candidate, SystemCalls.O_NONBLOCK, 0);
      if (number >= 0) {
        Fd fd = new Fd(number);
        FileIdentity identity = SystemCalls.statx(fd);
        if (identity.sameInode(key.major, key.minor, key.inode)) {
          return opened(pid, path, fd, identity);
        }
        fd.close();
      }
    }
    return null;
  }

  private BackingFile opened(int pid, String path, Fd fd, FileIdentity identity) {
    Optional<ProcessRoots.Root> root = roots.of(pid);
    return BackingFile.ofOpen(
        root.map(r -> r.seen(path)).orElse(path),
        fd,
        identity,
        root.map(ProcessRoots.Root::folder));
  }

  /** Whether there will soon be no room for more. */
  public boolean isNearlyFull() {
    return held.size() > limit / 4 * 3;
  }

  /** Closes the files that are no longer used. */
  public void release(Set<BackingFile> inUse) {
    held.values()
        .removeIf(
            file -> {
              boolean unused = !inUse.contains(file);
              if (unused) {
                file.close();
              }
              return unused;
            });
  }

  /** Mappings that got no file because too many are held. */
  public long refused() {
    return refused;
  }

  @Override
  public void close() {
    held.values().forEach(BackingFile::close);
    roots.close();
  }
}
