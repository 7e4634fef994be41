package dev.plumb.linux.proc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The pages of files that this process has mapped to read or to run. */
public final class FilePages {
  private static final int MADV_DONTNEED = 4;
  private static final int MADV_NOHUGEPAGE = 15;

  /** To look at each page of a smaller one does not pay. */
  private static final int LARGE = 1 << 20;

  /** Of pages, while it is looked whose they are. */
  private static final int CHUNK = 1 << 12;

  // /proc/PID/pagemap
  private static final long PRESENT = 1L << 63;
  private static final long SWAPPED = 1L << 62;
  private static final long OF_FILE = 1L << 61;

  private FilePages() {}

  /**
   * Gives them back. Whoever reads one again gets it from the kernel's cache, or from disk; until
   * then it does not count as ours. From then on they come in small groups: where the cache has
   * huge pages, one byte read would make 2 MB ours.
   */
  public static void release() {
    try (ProcReader reader = new ProcReader();
        Pages pages = new Pages()) {
      ProcMaps.forEachOwn(
          reader,
          line -> {
            if (isOnlyFiles(line, pages)) {
              long size = line.end() - line.start();
              SystemCalls.tryMadvise(line.start(), size, MADV_NOHUGEPAGE);
              SystemCalls.tryMadvise(line.start(), size, MADV_DONTNEED);
            }
          });
    } catch (SyscallException e) {
      // Without a free file descriptor, say. They stay until the next call.
    }
  }

  /** Not so where a linker has written, or a debugger's probe is. */
  private static boolean isOnlyFiles(ProcMaps.Line line, Pages pages) {
    boolean isLarge = line.end() - line.start() >= LARGE;
    return line.inode() != 0
        && !line.writable()
        && line.pathStartsWith("/")
        && (line.shared() || isLarge && pages.areFiles(line.start(), line.end()));
  }

  /** Whose the pages of a private mapping are: its file's, or written ones of our own. */
  private static final class Pages implements AutoCloseable {
    private final int fd = SystemCalls.tryOpen("/proc/self/pagemap", SystemCalls.O_RDONLY, 0);
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment chunk = arena.allocate(8L * CHUNK, 8);
    private final long[] pages = new long[CHUNK];

    /** All of them, as far as they are present. */
    boolean areFiles(long start, long end) {
      long last = end / SystemCalls.PAGE_SIZE;
      for (long page = start / SystemCalls.PAGE_SIZE; page < last; page += CHUNK) {
        int count = (int) Math.min(CHUNK, last - page);
        MemorySegment wanted = chunk.asSlice(0, 8L * count);
        if (SystemCalls.tryPread(fd, wanted, 8 * page) != wanted.byteSize()) {
          return false;
        }
        MemorySegment.copy(wanted, JAVA_LONG, 0, pages, 0, count);
        for (int i = 0; i < count; i++) {
          boolean isOwn = (pages[i] & PRESENT) != 0 && (pages[i] & OF_FILE) == 0;
          if (isOwn || (pages[i] & SWAPPED) != 0) {
            return false;
          }
        }
      }
      return true;
    }

    @Override
    public void close() {
      arena.close();
      if (fd >= 0) {
        SystemCalls.close(fd);
      }
    }
  }
}
