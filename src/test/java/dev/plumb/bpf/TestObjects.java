package dev.plumb.bpf;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.elf.ElfFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Compiles src/test/bpf by clang into target/test-bpf, once. Where there are no sources, on another
 * kernel, what was made before is taken.
 */
public final class TestObjects {
  /** What a source asks for by #ifdef, #ifndef, #if defined() or #elif defined(). */
  private static final Pattern MACRO =
      Pattern.compile("(?m)^#(?:ifn?def |(?:el)?if defined\\()(\\w+)");

  private static final Path SOURCES = Path.of("src/test/bpf");
  public static final Path TARGET = Path.of("target/test-bpf");

  private TestObjects() {}

  /** The object of {@code src/test/bpf/<name>.bpf.c}. */
  public static synchronized Path compile(String name, String... options) {
    Path source = SOURCES.resolve(name + ".bpf.c");
    Path object = TARGET.resolve(name + String.join("", options).hashCode() + ".bpf.o");
    try {
      Files.createDirectories(TARGET);
      if (!Files.exists(source)
          || Files.exists(object)
              && Files.getLastModifiedTime(object).compareTo(newest(source)) > 0) {
        return object;
      }
      List<String> command =
          new ArrayList<>(
              List.of(
                  "clang-19",
                  "-target",
                  "bpf",
                  "-mcpu=v3",
                  "-O2",
                  "-g",
                  "-Wall",
                  "-D__TARGET_ARCH_x86",
                  "-I/usr/include/x86_64-linux-gnu"));
      command.addAll(List.of(options));
      command.addAll(List.of("-c", source.toString(), "-o", object.toString()));
      run(command);
      return object;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A header counts for all sources. */
  private static FileTime newest(Path source) throws IOException {
    FileTime newest = Files.getLastModifiedTime(source);
    try (var headers = Files.newDirectoryStream(SOURCES, "*.h")) {
      for (Path header : headers) {
        FileTime time = Files.getLastModifiedTime(header);
        newest = time.compareTo(newest) > 0 ? time : newest;
      }
    }
    return newest;
  }

  public static CollectionSpec spec(String name, String... options) {
    try (ElfFile elf = ElfFile.open(compile(name, options))) {
      return CollectionSpec.of(elf);
    }
  }

  /** The types that an object file has. */
  static Btf types(Path object) {
    try (ElfFile elf = ElfFile.open(object)) {
      return Btf.of(elf.data(elf.section(".BTF").orElseThrow()));
    }
  }

  /** The program of {@code src/test/c/<name>.c}, linked with libbpf. */
  static synchronized Path program(String name) {
    Path source = Path.of("src/test/c", name + ".c");
    Path program = TARGET.resolve(name);
    try {
      Files.createDirectories(TARGET);
      if (Files.exists(source)
          && (!Files.exists(program)
              || Files.getLastModifiedTime(program).compareTo(Files.getLastModifiedTime(source))
                  < 0)) {
        run(
            List.of(
                "gcc",
                "-Wall",
                "-o",
                program.toString(),
                source.toString(),
                "-Wl,--as-needed",
                "-lbpf"));
      }
      return program;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * All that tests on another kernel may ask for: each object as it is and with each macro that its
   * source knows, and the program that is probed.
   */
  public static List<Path> all() throws IOException {
    List<Path> made = new ArrayList<>();
    try (var sources = Files.newDirectoryStream(SOURCES, "*.bpf.c")) {
      for (Path source : sources) {
        String name = source.getFileName().toString().replace(".bpf.c", "");
        made.add(compile(name));
        Set<String> macros = new TreeSet<>();
        MACRO.matcher(Files.readString(source)).results().forEach(m -> macros.add(m.group(1)));
        macros.forEach(macro -> made.add(compile(name, "-D" + macro)));
      }
    }
    made.add(program("probed"));
    return made;
  }

  /** Runs a command; its output, or an error that has it. */
  static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes());
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(String.join(" ", command) + "\n" + output);
      }
      return output;
    } catch (IOException e) {
      throw new AssertionError(command.getFirst() + " is needed for this test", e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
