package dev.plumb.symbols.debugfile;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program, stripped, and its debug file, made by binutils as distributions do.
 *
 * @param program with a {@code .gnu_debuglink} to {@code debug}
 */
record Stripped(Path whole, Path program, Path debug) {
  private static final String SOURCE =
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      #include <sys/socket.h>
      __attribute__((noinline)) static int hidden_NUMBER(int x) { return x * 5 + NUMBER; }
      __attribute__((visibility("default"))) int exported_NUMBER(int x) { return x * 3; }
      int main(int argc, char **argv) { return hidden_NUMBER(argc) + exported_NUMBER(argc); }
      """;

  /** {@code number} makes another program; {@code options} are for gcc. */
  static Stripped make(String name, int number, String... options) {
    String[] all = new String[options.length + 3];
    all[0] = "-g";
    all[1] = "-rdynamic";
    all[2] = "-Wl,--build-id=sha1";
    System.arraycopy(options, 0, all, 3, options.length);
    Path whole = Fixtures.gcc(name, SOURCE.replace("NUMBER", Integer.toString(number)), all);
    Path debug = Fixtures.file(name + ".debug");
    Path program = Fixtures.file(name + "-stripped");
    Fixtures.run("objcopy", "--only-keep-debug", whole.toString(), debug.toString());
    strip(whole, program, debug);
    return new Stripped(whole, program, debug);
  }

  /** {@code program} becomes {@code whole} without symbols and with a link to {@code debug}. */
  static void strip(Path whole, Path program, Path debug) {
    Fixtures.run(
        "objcopy",
        "--strip-all",
        "--add-gnu-debuglink=" + debug,
        whole.toString(),
        program.toString());
  }

  String buildId() {
    try (ElfFile elf = ElfFile.open(whole)) {
      return elf.buildId().orElseThrow();
    }
  }

  /** Where the build id leads to, below a root. */
  String buildIdPath() {
    String id = buildId();
    return "/usr/lib/debug/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
  }

  /** A copy of a file at a path below a root. */
  static Path place(Path file, Path root, String path) throws IOException {
    Path target = root.resolve(path.substring(1));
    Files.createDirectories(target.getParent());
    Files.copy(file, target);
    return target;
  }
}
