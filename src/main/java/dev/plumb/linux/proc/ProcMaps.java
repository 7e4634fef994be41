package dev.plumb.linux.proc;

/**
 * The mappings of a process: {@code /proc/PID/maps}, line by line.
 *
 * <p>The kernel locks the address space while it writes a page of this file, so reading waits for a
 * process that is in the middle of a large change to it.
 */
public final class ProcMaps {
  private ProcMaps() {}

  /** Takes one mapping. The line is valid only during the call. */
  @FunctionalInterface
  public interface Visitor {
    void mapping(Line line);
  }

  /**
   * Visits all mappings in the order of their addresses; false if the process is gone. A zombie or
   * a kernel thread has none.
   *
   * @throws SyscallException EACCES if access is denied
   */
  public static boolean forEach(ProcReader reader, int pid, Visitor visitor) {
    Line line = new Line();
    return reader
        .at(pid, "maps")
        .forEachLine((bytes, start, end) -> visitor.mapping(line.on(bytes, start, end)));
  }

  /** The mappings of this process. */
  public static void forEachOwn(ProcReader reader, Visitor visitor) {
    Line line = new Line();
    reader
        .at("/proc/self/maps")
        .forEachLine((bytes, start, end) -> visitor.mapping(line.on(bytes, start, end)));
  }

  /** One mapping; the object is reused for the next one. */
  public static final class Line {
    private static final String DELETED = " (deleted)";

    private final ByteCursor cursor = new ByteCursor();
    private byte[] bytes = {};
    private long start;
    private long end;
    private int permissions;
    private long fileOffset;
    private int deviceMajor;
    private int deviceMinor;
    private long inode;
    private int pathStart;
    private int pathEnd;
    private boolean deleted;

    /** {@code 7f…-7f… r-xp 00001000 fe:01 123456 /usr/lib/libfoo.so}. */
    Line on(byte[] line, int from, int to) {
      bytes = line;
      ByteCursor c = cursor.on(line, from, to);
      start = c.hex();
      end = c.skip(1).hex();
      c.skip(1);
      permissions = 0;
      for (int i = 0; i < 4; i++) {
        permissions = permissions << 8 | c.next();
      }
      fileOffset = c.skip(1).hex();
      deviceMajor = (int) c.skip(1).hex();
      deviceMinor = (int) c.skip(1).hex();
      inode = c.skip(1).decimal();
      pathStart = c.skipBlanks().at();
      pathEnd = c.end();
      deleted = inode != 0 && endsWithDeleted();
      if (deleted) {
        pathEnd -= DELETED.length();
      }
      return this;
    }

    private boolean endsWithDeleted() {
      int at = pathEnd - DELETED.length();
      if (at < pathStart) {
        return false;
      }
      for (int i = 0; i < DELETED.length(); i++) {
        if (bytes[at + i] != DELETED.charAt(i)) {
          return false;
        }
      }
      return true;
    }

    public long start() {
      return start;
    }

    public long end() {
      return end;
    }

    public boolean readable() {
      return permissions >>> 24 == 'r';
    }

    public boolean writable() {
      return (permissions >> 16 & 0xff) == 'w';
    }

    public boolean executable() {
      return (permissions >> 8 & 0xff) == 'x';
    }

    public boolean shared() {
      return (permissions & 0xff) == 's';
    }

    public long fileOffset() {
      return fileOffset;
    }

    public int deviceMajor() {
      return deviceMajor;
    }

    public int deviceMinor() {
      return deviceMinor;
    }

    /** 0 if it has no file. */
    public long inode() {
      return inode;
    }

    /** Whether the file was deleted, so that it has no name. */
    public boolean deleted() {
      return deleted;
    }

    /** The file, or a name like {@code [heap]}, or empty; without {@code (deleted)}. */
    public String path() {
      return ByteCursor.unescaped(bytes, pathStart, pathEnd);
    }

    public boolean hasPath() {
      return pathEnd > pathStart;
    }

    /** Whether the path starts with these ASCII characters; makes no objects. */
    public boolean pathStartsWith(String prefix) {
      if (pathEnd - pathStart < prefix.length()) {
        return false;
      }
      for (int i = 0; i < prefix.length(); i++) {
        if (bytes[pathStart + i] != prefix.charAt(i)) {
          return false;
        }
      }
      return true;
    }
  }
}
