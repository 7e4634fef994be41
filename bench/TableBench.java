import com.sun.management.ThreadMXBean;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.unwind.UnwindTables;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/** How long unwind tables take to make, and what they weigh. Run by {@code bench/tables}. */
final class TableBench {
  public static void main(String[] files) {
    System.out.printf(
        "%-34s %7s %8s %8s %8s %6s %9s %8s %9s %11s%n",
        "file", "text MB", "first ms", "best ms", "rows", "rules", "bytes", "B / MB", "used MB",
        "unsupported");
    for (String name : files) {
      measure(Path.of(name));
    }
  }

  private static void measure(Path path) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    double first = 0;
    double best = Double.MAX_VALUE;
    long allocated = 0;
    UnwindTables.Built built = null;
    double text = 0;
    for (int i = 0; i < 10; i++) {
      try (ElfFile elf = ElfFile.open(path)) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        built = UnwindTables.of(elf);
        double millis = (System.nanoTime() - start) / 1e6;
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
        first = i == 0 ? millis : first;
        best = Math.min(best, millis);
        text = text(elf);
      }
    }
    System.out.printf(
        "%-34s %7.1f %8.1f %8.1f %8d %6d %9d %8.0f %9.1f %11d%n",
        path.getFileName(),
        text,
        first,
        best,
        built.table().rows(),
        built.table().rules(),
        built.table().bytes(),
        built.table().bytes() / text,
        allocated / 1e6,
        built.statistics().unsupportedRows());
  }

  private static double text(ElfFile elf) {
    long size = 0;
    for (Segment segment : elf.segments()) {
      if (segment.type() == Segment.PT_LOAD && segment.executable()) {
        size += segment.memorySize();
      }
    }
    return size / 1e6;
  }
}
