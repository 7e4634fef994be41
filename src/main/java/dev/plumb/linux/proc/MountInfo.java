package dev.plumb.linux.proc;

import java.util.ArrayList;
import java.util.List;

/**
 * A mount as a process sees it: a line of {@code /proc/PID/mountinfo}.
 *
 * @param root the folder of the file system that is mounted
 * @param options of this mount
 * @param superOptions of the file system
 */
public record MountInfo(
    int id,
    int parent,
    int deviceMajor,
    int deviceMinor,
    String root,
    String mountPoint,
    String options,
    String type,
    String source,
    String superOptions) {

  /** All mounts of the process's mount namespace; empty if it is gone. */
  public static List<MountInfo> read(ProcReader reader, int pid) {
    return read(reader.at(pid, "mountinfo"));
  }

  /** All mounts of this process's mount namespace. */
  public static List<MountInfo> readOwn(ProcReader reader) {
    return read(reader.at("/proc/self/mountinfo"));
  }

  private static List<MountInfo> read(ProcReader reader) {
    List<MountInfo> mounts = new ArrayList<>();
    ByteCursor cursor = new ByteCursor();
    reader.forEachLine(
        (bytes, start, end) -> mounts.add(parse(cursor.on(bytes, start, end), bytes)));
    return List.copyOf(mounts);
  }

  /** {@code 36 35 98:0 /root /point rw,noatime master:1 shared:2 - ext4 /dev/sda1 rw,…}. */
  public static MountInfo parse(ByteCursor c, byte[] bytes) {
    int id = (int) c.decimal();
    int parent = (int) c.skipBlanks().decimal();
    int major = (int) c.skipBlanks().decimal();
    int minor = (int) c.skip(1).decimal();
    c.skip(1);
    String root = field(c, bytes);
    String point = field(c, bytes);
    String options = field(c, bytes);
    while (!c.atEnd() && !c.accept("- ")) {
      c.skipWord();
    }
    return new MountInfo(
        id,
        parent,
        major,
        minor,
        root,
        point,
        options,
        field(c, bytes),
        field(c, bytes),
        field(c, bytes));
  }

  /** Reads up to the next blank; may be empty, such as the source of a mount without one. */
  private static String field(ByteCursor c, byte[] bytes) {
    int start = c.at();
    while (!c.atEnd() && c.peek() != ' ') {
      c.skip(1);
    }
    String field = ByteCursor.unescaped(bytes, start, c.at());
    c.skip(1);
    return field;
  }
}
