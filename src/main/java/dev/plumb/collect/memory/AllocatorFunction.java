package dev.plumb.collect.memory;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The kinds of functions of an allocator, which determine where the arguments are.
 *
 * @param program the program in {@code mem.bpf.c} for its entry
 * @param returns whether its return must be probed, too
 */
public enum AllocatorFunction {
  MALLOC("on_malloc", true),

  /** C++ operators that may throw: an exception does not get past a return probe. */
  NEW("on_new", false),
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
          NEW,
          List.of(),
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
          List.of(
              "free", "cfree", "vfree", "free_sized", "free_aligned_sized", "dallocx", "sdallocx"),
          MUNMAP,
          List.of("munmap"));

  /** Operators new and delete: only of allocators that do not come to malloc by them. */
  private static final Map<AllocatorFunction, List<String>> OPERATORS =
      Map.of(
          MALLOC,
          List.of(
              "_ZnwmRKSt9nothrow_t",
              "_ZnamRKSt9nothrow_t",
              "_ZnwmSt11align_val_tRKSt9nothrow_t",
              "_ZnamSt11align_val_tRKSt9nothrow_t"),
          NEW,
          List.of("_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"),
          FREE,
          List.of(
              "_ZdlPv",
              "_ZdaPv",
              "_ZdlPvm",
              "_ZdaPvm",
              "_ZdlPvSt11align_val_t",
              "_ZdaPvSt11align_val_t",
              "_ZdlPvmSt11align_val_t",
              "_ZdaPvmSt11align_val_t",
              "_ZdlPvRKSt9nothrow_t",
              "_ZdaPvRKSt9nothrow_t"));

  /** What may stand before all of them: allocators that are linked in beside the C library's. */
  static final List<String> PREFIXES = List.of("", "je_", "_rjem_", "mi_", "tc_");

  private static final Set<String> ALL_NAMES = allNames();

  private final String program;
  private final boolean returns;

  AllocatorFunction(String program, boolean returns) {
    this.program = program;
    this.returns = returns;
  }

  private static Set<String> allNames() {
    Set<String> all = new HashSet<>();
    for (AllocatorFunction kind : values()) {
      kind.names().forEach(name -> PREFIXES.forEach(prefix -> all.add(prefix + name)));
      all.addAll(kind.operators());
    }
    return all;
  }

  /** Whether a function of this name may be one. */
  static boolean isName(String name) {
    return ALL_NAMES.contains(name);
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
