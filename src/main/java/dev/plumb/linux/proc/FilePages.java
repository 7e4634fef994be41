package dev.plumb.linux.proc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The pages of files that this process has mapped to read or to execute. */
public final class FilePages {
  private static final int MADV_DONTNEED = 4;
  private static final int MADV_NOHUGEPAGE = 15;

  /** For a smaller mapping, checking each page does not pay. */
  private static final int LARGE = 1 << 20;

  /** How many pages to check at once. */
  private static final int CHUNK = 1 << 12;

  // /proc/PID/pagemap
  private static final long PRESENT = 1L << 63;
  private static final long SWAPPED = 1L << 62;
  private static final long OF_FILE = 1L << 61;

  private FilePages() {}

  /**
   * Gives the pages back, so that they no longer count as our memory. Reading one again brings it
   * back from the page cache or the disk. After this, they come back in small groups: where the
   * page cache has huge pages, reading one byte would otherwise count as 2 MB.
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

  /** Whether all pages are the file's; not so where the linker wrote or a debugger set a probe. */
  private static boolean isOnlyFiles(ProcMaps.Line line, Pages pages) {
    boolean isLarge = line.end() - line.start() >= LARGE;
    return line.inode() != 0
        && !line.writable()
        && line.pathStartsWith("/")
        && (line.shared() || isLarge && pages.areFiles(line.start(), line.end()));
  }

  /** Finds out whether the pages of a private mapping are its file's or our own written copies. */
  private static final class Pages implements AutoCloseable {
    private final int fd = SystemCalls.tryOpen("/proc/self/pagemap", SystemCalls.O_RDONLY, 0);
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment chunk = arena.allocate(8L * CHUNK, 8);
    private final long[] pages = new long[CHUNK];

    /** Whether all pages that are present are the file's. */
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
