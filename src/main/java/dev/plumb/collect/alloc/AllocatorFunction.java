package dev.plumb.collect.alloc;

import java.util.List;
import java.util.Map;

/**
 * What a function of an allocator does with memory, which says where its arguments are.
 *
 * @param program that takes its entry, in {@code mem.bpf.c}
 * @param returns whether its return has to be seen
 */
public enum AllocatorFunction {
  MALLOC("on_malloc", true),
  CALLOC("on_calloc", true),
  REALLOC("on_realloc", true),
  REALLOCARRAY("on_reallocarray", true),
  MEMALIGN("on_memalign", true),
  POSIX_MEMALIGN("on_posix_memalign", true),
  MMAP("on_mmap", true),
  MUNMAP("on_munmap", false),
  FREE("on_free", false);

  private static final Map<AllocatorFunction, List<String>> NAMES =
      Map.of(
          MALLOC,
          List.of("malloc", "valloc", "pvalloc", "mallocx"),
          CALLOC,
          List.of("calloc"),
          REALLOC,
          List.of("realloc", "rallocx"),
          REALLOCARRAY,
          List.of("reallocarray"),
          MEMALIGN,
          List.of("memalign", "aligned_alloc"),
          POSIX_MEMALIGN,
          List.of("posix_memalign"),
          MMAP,
          List.of("mmap", "mmap64"),
          FREE,
          List.of("free", "cfree", "dallocx", "sdallocx"),
          MUNMAP,
          List.of("munmap"));

  /** Operators new and delete: only of allocators that do not come to malloc by them. */
  private static final Map<AllocatorFunction, List<String>> OPERATORS =
      Map.of(
          MALLOC,
          List.of(
              "_Znwm",
              "_Znam",
              "_ZnwmRKSt9nothrow_t",
              "_ZnamRKSt9nothrow_t",
              "_ZnwmSt11align_val_t",
              "_ZnamSt11align_val_t"),
          FREE,
          List.of(
              "_ZdlPv",
              "_ZdaPv",
              "_ZdlPvm",
              "_ZdaPvm",
              "_ZdlPvSt11align_val_t",
              "_ZdaPvSt11align_val_t",
              "_ZdlPvRKSt9nothrow_t",
              "_ZdaPvRKSt9nothrow_t"));

  private final String program;
  private final boolean returns;

  AllocatorFunction(String program, boolean returns) {
    this.program = program;
    this.returns = returns;
  }

  public String program() {
    return program;
  }

  public boolean returns() {
    return returns;
  }

  /** The names that such functions have. */
  List<String> names() {
    return NAMES.get(this);
  }

  /** Names of C++ operators that do the same. */
  List<String> operators() {
    return OPERATORS.getOrDefault(this, List.of());
  }
}
