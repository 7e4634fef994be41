package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Other allocators than the C library's: each byte that a program keeps, from its start on. */
@RequiresRoot
class RecordAllocatorsTest {
  private static final Path LIBRARIES = Path.of("/usr/lib/x86_64-linux-gnu");
  private static final int BLOCKS = 300;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "libjemalloc.so.2, half, leaks, 100",
    "libjemalloc.so.2, realloc, grows, 3000",
    "libtcmalloc_minimal.so.4, calloc, leaks_zeroed, 100",
    "libmimalloc.so.2, memalign, leaks_memalign, 128",
    "libmimalloc.so.2, realloc, grows, 3000",
  })
  void preloaded(String library, String kind, String function, int size) {
    Path path = installed(LIBRARIES.resolve(library));
    String program = Programs.compiled("leaker").toString();
    record(
        List.of(),
        List.of("env", "LD_PRELOAD=" + path, program, kind, "" + BLOCKS, "" + size, "2"));
    assertThat(kept(function)).isEqualTo(2L * size * BLOCKS);
    assertThat(kept("frees")).isZero();
  }

  /**
   * libstdc++ comes to malloc; the others have operators of their own. It has no frame pointers:
   * the first stacks lack a function, so its callers' caller is looked at.
   */
  @ParameterizedTest
  @CsvSource({
    "'', aligned, one",
    "'', throw, one",
    "libjemalloc.so.2, one, leaks",
    "libjemalloc.so.2, aligned, leaks_aligned",
    "libtcmalloc_minimal.so.4, nothrow, leaks_nothrow",
    "libmimalloc.so.2, aligned, leaks_aligned",
  })
  void operators(String library, String kind, String function) {
    Path program = operators();
    List<String> command = new ArrayList<>();
    if (!library.isEmpty()) {
      command.addAll(List.of("env", "LD_PRELOAD=" + installed(LIBRARIES.resolve(library))));
    }
    command.addAll(List.of(program.toString(), kind, "" + BLOCKS, "64"));
    record(List.of("--alloc-new"), command);
    assertThat(kept(function)).isEqualTo(64L * BLOCKS);
    assertThat(kept("frees") + kept("frees_aligned")).isZero();
  }

  /**
   * A probe of the return would end the program (mimalloc does that itself). What is allocated
   * counts all the same.
   */
  @ParameterizedTest
  @CsvSource({
    "libjemalloc.so.2, throw, 0",
    "libtcmalloc_minimal.so.4, throw, 0",
    "libjemalloc.so.2, one, 1",
    "libtcmalloc_minimal.so.4, array, 1",
    "libmimalloc.so.2, aligned, 1",
  })
  void operatorsThatMayThrow(String library, String kind, int freed) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "LD_PRELOAD=" + installed(LIBRARIES.resolve(library))));
    command.addAll(List.of(operators().toString(), kind, "" + BLOCKS, "64"));
    record(List.of("--value", "alloc_space"), command);
    long allocated = kept("leaks") + kept("leaks_aligned") + kept("frees") + kept("frees_aligned");
    assertThat(allocated).isEqualTo((1L + freed) * 64 * BLOCKS);
  }

  /** In a program that is linked statically operator new comes to malloc: it counts once. */
  @Test
  void operatorsThatComeToMalloc() {
    Path program = Path.of("target/targets/leaker-cc-static").toAbsolutePath();
    List<String> compile = new ArrayList<>(List.of("g++", "-O2", "-g", "-static"));
    compile.addAll(List.of("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"));
    compile.addAll(List.of("-fno-ipa-icf", "src/test/targets/leaker.cc", "-o"));
    compile.add(program.toString());
    Programs.run(compile);
    List<String> command = List.of(program.toString(), "array", "" + BLOCKS, "64");
    record(List.of("--value", "alloc_space"), command);
    assertThat(kept("leaks") + kept("frees")).isEqualTo(2L * 64 * BLOCKS);
    record(List.of(), command);
    assertThat(kept("leaks")).isEqualTo(64L * BLOCKS);
  }

  private static Path operators() {
    Path binary = Path.of("target/targets/leaker-cc");
    Path source = Path.of("src/test/targets/leaker.cc");
    return Programs.compile(source, binary, "-Wl,--no-as-needed", "-lstdc++");
  }

  @ParameterizedTest
  @CsvSource({"half, leaks, 100", "mmap, maps, 8192"})
  void linkedStatically(String kind, String function, int size) {
    Path program =
        Programs.compile(
            Path.of("src/test/targets/leaker.c"),
            Path.of("target/targets/leaker-static"),
            "-static");
    record(List.of(), List.of(program.toString(), kind, "" + BLOCKS, "" + size, "2"));
    assertThat(kept(function)).isEqualTo(2L * size * BLOCKS);
    assertThat(kept("frees")).isZero();
  }

  /** musl has no tables for unwinding: who calls malloc is seen by where that was entered. */
  @ParameterizedTest
  @CsvSource({"'', half, leaks, 100", "-static, half, leaks, 100"})
  void musl(String flag, String kind, String function, int size) {
    installed(Path.of("/usr/bin/musl-gcc"));
    Path program = Path.of("target/targets/leaker-musl" + flag).toAbsolutePath();
    List<String> compile = new ArrayList<>(List.of("musl-gcc", "-O2", "-g", "-pthread"));
    compile.addAll(List.of("-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"));
    compile.addAll(List.of("-fno-ipa-icf", "src/test/targets/leaker.c", "-o", program.toString()));
    if (!flag.isEmpty()) {
      compile.add(flag);
    }
    Programs.run(compile);
    record(List.of(), List.of(program.toString(), kind, "" + BLOCKS, "" + size, "2"));
    assertThat(kept(function)).isEqualTo(2L * size * BLOCKS);
    assertThat(kept("frees")).isZero();
  }

  /** A library of any name; and calls that never return hide no others. */
  @Test
  void anAllocatorOfTheirOwn() {
    Path library =
        Programs.compile(
            Path.of("src/test/targets/ownalloc.c"),
            Path.of("target/targets/libown.so"),
            "-shared",
            "-fPIC",
            "-fno-builtin");
    Path program =
        Programs.compile(
            Path.of("src/test/targets/longjumper.c"),
            Path.of("target/targets/longjumper"),
            "-Wl,-rpath,$ORIGIN",
            "-Ltarget/targets",
            "-Wl,--no-as-needed",
            "-lown");
    List<String> command = List.of(program.toString(), "" + BLOCKS, "100");
    record(List.of("--alloc-lib", "libown"), command);
    assertThat(kept("leaks")).isEqualTo(100L * BLOCKS);
    assertThat(kept("never")).isZero();
    record(List.of("--alloc-lib", library.toString()), command);
    assertThat(kept("leaks")).isEqualTo(100L * BLOCKS);
  }

  private static Path installed(Path path) {
    assumeTrue(Files.exists(path), path + " is not installed; ./check does that");
    return path;
  }

  private void record(List<String> options, List<String> command) {
    List<String> all = new ArrayList<>(List.of("record", "mem"));
    all.addAll(List.of("-o", folder.resolve("out.folded").toString()));
    all.addAll(options);
    all.add("--");
    all.addAll(command);
    PlumbCommand.Result result = PlumbCommand.run(all.toArray(String[]::new));
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains(" · 0 lost").doesNotContain("free: ");
  }

  /** By functions of this name, with or without their arguments. */
  private long kept(String function) {
    return Folded.read(folder.resolve("out.folded"))
        .sum(
            line ->
                line.frames().stream()
                    .anyMatch(f -> f.equals(function) || f.startsWith(function + "(")));
  }
}
