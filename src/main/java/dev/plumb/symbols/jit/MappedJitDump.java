package dev.plumb.symbols.jit;

import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import java.util.Optional;

/**
 * A jitdump that a process has mapped: compilers map it so that perf notices it.
 *
 * @param mapFile the path by which the mapped file can be opened: {@code /proc/PID/map_files/…}
 * @param path the file's path as the process sees it
 */
record MappedJitDump(String mapFile, String path, int major, int minor, long inode) {
  boolean is(FileIdentity file) {
    return file.sameInode(major, minor, inode);
  }

  /** The jitdump that a process mapped last; empty if there is none. */
  static Optional<MappedJitDump> of(ProcReader reader, int pid) {
    MappedJitDump[] found = new MappedJitDump[1];
    try {
      ProcMaps.forEach(
          reader,
          pid,
          line -> {
            if (line.executable() && line.inode() != 0 && isDump(line.path())) {
              String range = Long.toHexString(line.start()) + "-" + Long.toHexString(line.end());
              found[0] =
                  new MappedJitDump(
                      "/proc/" + pid + "/map_files/" + range,
                      line.path(),
                      line.deviceMajor(),
                      line.deviceMinor(),
                      line.inode());
            }
          });
    } catch (SyscallException | IllegalStateException e) {
      return Optional.empty();
    }
    return Optional.ofNullable(found[0]);
  }

  /** Whether a file is a jitdump, by its name: {@code jit-PID.dump}. */
  static boolean isDump(String path) {
    return path.endsWith(".dump") && path.startsWith("jit-", path.lastIndexOf('/') + 1);
  }
}
