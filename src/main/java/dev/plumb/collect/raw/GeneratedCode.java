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
 * Recognizes stacks that end in code generated at run time, as JIT compilers do: no file has an
 * unwind table for it, and it may lack frame pointers.
 */
public final class GeneratedCode {
  /** Mapped by the kernel itself: the vsyscall page, and the instructions that probes replaced. */
  private static final Set<String> KERNELS_OWN = Set.of("[vsyscall]", "[uprobes]");

  /** How the names of in-memory files begin. */
  private static final String MEMFD = "/memfd:";

  private static final int ELF_MAGIC = 'E' << 8 | 0x7f | 'L' << 16 | 'F' << 24;

  /**
   * Whether an in-memory file is ELF: some JIT compilers write code into such files, other programs
   * whole libraries.
   */
  private final Map<BackingFile, Boolean> known = new WeakHashMap<>();

  /**
   * How a stack ended.
   *
   * @param how the reason as unwinding saw it
   * @param last the mapping of the outermost frame that lies in one
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
