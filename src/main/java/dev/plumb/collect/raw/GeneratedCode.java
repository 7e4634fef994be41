package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.profile.StackEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Tells stacks that end in code made while the program ran, as run-time compilers make it: no file
 * has a table for it, and it need not keep a frame pointer.
 */
public final class GeneratedCode {
  /** Mapped by the kernel into every process, or where it puts what probes replaced. */
  private static final Set<String> KERNELS_OWN = Set.of("[vsyscall]", "[uprobes]");

  /** What files of memory are called. */
  private static final String MEMFD = "/memfd:";

  private static final int ELF_MAGIC = 'E' << 8 | 0x7f | 'L' << 16 | 'F' << 24;

  /** Of files of memory, which some compilers write code into, and others whole libraries. */
  private final Map<BackingFile, Boolean> known = new WeakHashMap<>();

  /**
   * How a stack ended.
   *
   * @param how as far as unwinding knows
   * @param last where its outermost frame lies that lies in a mapping
   */
  public StackEnd end(StackEnd how, Optional<Mapping> last) {
    return switch (how) {
      case NO_FRAME_POINTER, UNREADABLE, UNMAPPED ->
          last.filter(mapping -> isGenerated(mapping.file())).isPresent()
              ? StackEnd.GENERATED
              : how;
      default -> how;
    };
  }

  private boolean isGenerated(BackingFile file) {
    return switch (file.kind()) {
      case ANONYMOUS -> !KERNELS_OWN.contains(file.path());
      case FILE ->
          file.path().startsWith(MEMFD) && !known.computeIfAbsent(file, GeneratedCode::isElf);
      case VDSO -> false;
    };
  }

  private static boolean isElf(BackingFile file) {
    return file.readable()
        .filter(
            path -> {
              try (Arena arena = Arena.ofConfined()) {
                MemorySegment magic = arena.allocate(JAVA_INT);
                int fd = Integer.parseInt(path.getFileName().toString());
                return SystemCalls.tryPread(fd, magic, 0) == magic.byteSize()
                    && magic.get(JAVA_INT, 0) == ELF_MAGIC;
              }
            })
        .isPresent();
  }
}
