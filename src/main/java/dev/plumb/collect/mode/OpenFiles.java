package dev.plumb.collect.mode;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.plumb.bpf.BpfMap;
import dev.plumb.linux.proc.MountInfo;
import dev.plumb.linux.proc.ProcReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of files and sockets that the kernel side has seen ({@code file.h}): the path within a
 * file system together with its mount point, or the addresses of a socket.
 *
 * <pre>
 * open_file  0 mode  4 device  8 inode  16 family  18 type  20 local_port  22 remote_port
 *            24 remote  28 names_used  32 names, of 64 bytes each
 * </pre>
 */
final class OpenFiles {
  private static final String UNKNOWN = "[unknown file]";
  private static final int NAMES_OFFSET = 32;
  private static final int NAME_SIZE = 64;
  private static final int MAX_NAMES = 12;

  private static final int KIND = 0170000;
  private static final int SOCKET = 0140000;
  private static final int PIPE = 0010000;
  private static final int UNIX = 1;
  private static final int INET = 2;
  private static final int INET6 = 10;
  private static final int NETLINK = 16;
  private static final int STREAM = 1;
  private static final int DATAGRAM = 2;

  private final BpfMap files;
  private Map<Long, String> names = new HashMap<>();

  /** The names that were forgotten last, for events that were still on their way. */
  private Map<Long, String> before = Map.of();

  private List<MountInfo> mounts = List.of();

  OpenFiles(BpfMap files) {
    this.files = files;
  }

  /** The name of what has an id. */
  String name(long id) {
    String known = names.computeIfAbsent(id, this::read);
    return known == null ? before.getOrDefault(id, UNKNOWN) : known;
  }

  /** Whether the kernel side has so many that it soon has no room for new ones. */
  boolean isNearlyFull() {
    return names.size() > files.maxEntries() / 4 * 3;
  }

  /**
   * Forgets all names, and drains the kernel's map, so that programs add again what is used from
   * now on.
   */
  void forget() {
    before = names;
    files.drain((id, file) -> before.putIfAbsent(id.get(JAVA_LONG, 0), text(file)));
    names = new HashMap<>();
    mounts = List.of();
  }

  /** Null if the kernel side has no such id, or no longer. */
  private String read(long id) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment file = arena.allocate(files.valueSize(), 8);
      return files.lookup(arena.allocateFrom(JAVA_LONG, id), file) ? text(file) : null;
    }
  }

  private String text(MemorySegment file) {
    return switch (file.get(JAVA_INT, 0) & KIND) {
      case SOCKET -> socket(file);
      case PIPE -> name(file, 0).isEmpty() ? "pipe" : path(file);
      default -> path(file);
    };
  }

  private static String socket(MemorySegment file) {
    int family = Short.toUnsignedInt(file.get(JAVA_SHORT, 16));
    int type = file.get(JAVA_SHORT, 18);
    String protocol = type == STREAM ? "tcp" : type == DATAGRAM ? "udp" : "ip";
    return switch (family) {
      case UNIX -> "unix socket";
      case NETLINK -> "netlink socket";
      case INET -> protocol + " " + address(file) + ports(file);
      case INET6 -> protocol + "6 " + ports(file);
      default -> "socket of family " + family;
    };
  }

  private static String address(MemorySegment file) {
    return "%d.%d.%d.%d"
        .formatted(byteAt(file, 24), byteAt(file, 25), byteAt(file, 26), byteAt(file, 27));
  }

  private static int byteAt(MemorySegment file, int at) {
    return Byte.toUnsignedInt(file.get(JAVA_BYTE, at));
  }

  /** The remote port, or the local one of a socket that leads nowhere. */
  private static String ports(MemorySegment file) {
    int remote = byteAt(file, 22) << 8 | byteAt(file, 23);
    int local = Short.toUnsignedInt(file.get(JAVA_SHORT, 20));
    return remote != 0 ? ":" + remote : " port " + local;
  }

  private String path(MemorySegment file) {
    int count = Math.clamp(file.get(JAVA_INT, 28), 0, MAX_NAMES);
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < count; i++) {
      String name = name(file, i);
      if (name.equals("/")) {
        return mountPoint(file.get(JAVA_INT, 4), path.toString());
      }
      path.insert(0, "/" + name);
    }
    boolean deeper = count == MAX_NAMES;
    return (deeper ? "…" : "") + (path.isEmpty() ? UNKNOWN : path.toString());
  }

  private static String name(MemorySegment file, int i) {
    int start = NAMES_OFFSET + i * NAME_SIZE;
    int end = start;
    while (end < start + NAME_SIZE && file.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    byte[] bytes = file.asSlice(start, end - start).toArray(JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The path with where its file system is mounted. */
  private String mountPoint(int device, String path) {
    if (mounts.isEmpty()) {
      try (ProcReader reader = new ProcReader()) {
        mounts = MountInfo.readOwn(reader);
      }
    }
    for (MountInfo mount : mounts) {
      boolean same =
          mount.deviceMajor() == device >>> 20 && mount.deviceMinor() == (device & 0xfffff);
      if (same && mount.root().equals("/")) {
        String folder = mount.mountPoint().equals("/") ? "" : mount.mountPoint();
        return folder + (path.isEmpty() ? "/" : path);
      }
    }
    return path.isEmpty() ? "/" : path;
  }
}
