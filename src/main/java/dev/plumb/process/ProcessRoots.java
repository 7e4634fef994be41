package dev.plumb.process;

import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.RootFolder;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The root directories of processes that see other files than we do, for example in containers.
 * There is one object per root; it is kept open, because the directory cannot be reached any more
 * when its last process has ended.
 */
final class ProcessRoots implements AutoCloseable {
  /** A mount namespace and a folder in it. */
  private record Key(long mounts, int major, int minor, long inode) {}

  /**
   * A root directory.
   *
   * @param path its path as the kernel writes it for us: {@code /} unless the process is in a
   *     chroot
   */
  record Root(RootFolder folder, String path) {
    /** The path by which the process sees a file, for a path from {@code /proc/PID/maps}. */
    String seen(String ours) {
      return !path.equals("/") && ours.startsWith(path + "/")
          ? ours.substring(path.length())
          : ours;
    }
  }

  private final int limit;
  private final ProcReader reader = new ProcReader();
  private final Map<Key, Root> held = new HashMap<>();
  private final long ourMounts;

  ProcessRoots(int limit) {
    this.limit = limit;
    this.ourMounts = ProcNamespaces.inode(reader, ProcessCalls.getpid(), "mnt");
  }

  /** Empty if its root is ours, it is gone, or too many are held. */
  Optional<Root> of(int pid) {
    try {
      long mounts = ProcNamespaces.inode(reader, pid, "mnt");
      String path = reader.link(pid, "root").orElse("");
      if (mounts == 0 || path.isEmpty() || mounts == ourMounts && path.equals("/")) {
        return Optional.empty();
      }
      return RootFolder.open("/proc/" + pid + "/root").flatMap(f -> keep(f, path, mounts));
    } catch (SyscallException e) {
      return Optional.empty(); // we may not read it
    }
  }

  private Optional<Root> keep(RootFolder folder, String path, long mounts) {
    FileIdentity identity = folder.identity();
    Key key = new Key(mounts, identity.deviceMajor(), identity.deviceMinor(), identity.inode());
    Root known = held.get(key);
    if (known != null || held.size() >= limit) {
      folder.close();
      return Optional.ofNullable(known);
    }
    Root root = new Root(folder, path);
    held.put(key, root);
    return Optional.of(root);
  }

  @Override
  public void close() {
    held.values().forEach(root -> root.folder().close());
    held.clear();
    reader.close();
  }
}
