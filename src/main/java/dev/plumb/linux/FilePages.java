package dev.plumb.linux;

/** The pages of files that this process has mapped to read or to run. */
public final class FilePages {
  private static final int MADV_DONTNEED = 4;

  /** Probes in code are given back with it; in the C library, others' should stay. */
  private static final int LARGE_CODE = 4 << 20;

  private FilePages() {}

  /**
   * Gives them back. Whoever reads one again gets it from the kernel's cache, or from disk; until
   * then it does not count as ours.
   */
  public static void release() {
    try (ProcReader reader = new ProcReader()) {
      ProcMaps.forEachOwn(
          reader,
          line -> {
            if (isOnlyFiles(line)) {
              SystemCalls.tryMadvise(line.start(), line.end() - line.start(), MADV_DONTNEED);
            }
          });
    }
  }

  /** Not so where a linker has written before: into data that is private, never into code. */
  private static boolean isOnlyFiles(ProcMaps.Line line) {
    boolean isLargeCode = line.executable() && line.end() - line.start() >= LARGE_CODE;
    return line.inode() != 0
        && !line.writable()
        && (line.shared() || isLargeCode)
        && line.pathStartsWith("/");
  }
}
