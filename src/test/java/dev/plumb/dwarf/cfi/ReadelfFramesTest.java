package dev.plumb.dwarf.cfi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the rows that we read of real files against readelf's. */
class ReadelfFramesTest {
  private static final String SOURCE =
      Path.of("src/test/targets/unwound.c").toAbsolutePath().toString();

  @Test
  void agreesOnTheSystemsFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name :
        List.of(
            "/lib64/ld-linux-x86-64.so.2",
            "/lib/x86_64-linux-gnu/libc.so.6",
            "/lib/x86_64-linux-gnu/libm.so.6",
            "/lib/x86_64-linux-gnu/libstdc++.so.6",
            "/lib/x86_64-linux-gnu/libcrypto.so.3",
            "/lib/x86_64-linux-gnu/libgcc_s.so.1",
            "/usr/bin/bash",
            "/usr/bin/perl",
            "/usr/bin/gdb",
            System.getProperty("java.home") + "/lib/server/libjvm.so")) {
      if (Files.exists(Path.of(name))) {
        files.add(Path.of(name).toRealPath());
      }
    }
    FrameComparison comparison = new FrameComparison();
    for (Path file : files) {
      comparison.compare(file);
    }
    System.out.println(comparison);
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.rows()).isGreaterThan(300_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcc -O3 -mavx2",
        "gcc -O2 -static",
        "gcc -O2 -no-pie -fno-pic -mcmodel=large",
        "gcc -O2 -fcf-protection -Wl,-z,ibtplt",
        "gcc -O2 -fuse-ld=gold",
        "gcc -O2 -Wl,--no-ld-generated-unwind-info",
        "gcc -g -O2 -fno-asynchronous-unwind-tables",
        "gcc -g -gz -O2 -fno-asynchronous-unwind-tables",
        "gcc -gdwarf-2 -O2 -fno-asynchronous-unwind-tables",
        "gcc -gdwarf-5 -gdwarf64 -fno-dwarf2-cfi-asm -O2 -fno-asynchronous-unwind-tables",
        "gcc -g -fno-dwarf2-cfi-asm -O2 -fno-asynchronous-unwind-tables",
        "clang-19 -O3 -mavx2",
        "clang-19 -g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -gz"
      })
  void agreesHoweverItIsBuilt(String compiler) throws IOException {
    Path program = Fixtures.file("frames");
    List<String> command = new ArrayList<>(List.of(compiler.split(" ")));
    command.addAll(List.of("-fomit-frame-pointer", SOURCE, "-o", program.toString()));
    Fixtures.run(command.toArray(String[]::new));
    FrameComparison comparison = new FrameComparison();
    comparison.compare(program);
    System.out.println(compiler + ": " + comparison);
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.rows()).isGreaterThan(20);
  }

  /** Every instruction that the assembler can write, in assembler code. */
  @Test
  void agreesOnEveryInstruction() throws IOException {
    Path program = Fixtures.assemble("frames-all", everyInstruction(), "-shared", "-nostdlib");
    FrameComparison comparison = new FrameComparison();
    comparison.compare(program);
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.rows()).isGreaterThan(25);
  }

  @Test
  void findsEhFrameWithoutSectionHeaders() {
    for (String linker : List.of("bfd", "gold")) {
      Path program = Fixtures.file("frames-whole");
      Path bare = Fixtures.file("frames-bare");
      Fixtures.run("gcc", "-O2", "-fuse-ld=" + linker, SOURCE, "-o", program.toString());
      Fixtures.run("llvm-objcopy-19", "--strip-sections", program.toString(), bare.toString());
      String whole = text(program);
      assertThat(whole.lines().count()).isGreaterThan(20);
      assertThat(text(bare)).isEqualTo(whole);
    }
  }

  /** All that .eh_frame says. */
  private static String text(Path path) {
    StringBuilder all = new StringBuilder();
    try (ElfFile elf = ElfFile.open(path)) {
      CallFrames.forEachOfEhFrame(
          elf,
          new FrameVisitor() {
            private FrameText text = new FrameText(0, 0);

            @Override
            public boolean function(long elfStart, long elfEnd) {
              text = new FrameText(elfStart, elfEnd);
              return true;
            }

            @Override
            public void row(FrameRow row) {
              text.add(row);
            }

            @Override
            public void end(boolean whole) {
              all.append(text);
            }
          });
    }
    return all.toString();
  }

  /** The raw bytes are for what the assembler has no directive for. */
  static String everyInstruction() {
    String[] rows = {
      ".cfi_def_cfa %rbp, 16",
      ".cfi_def_cfa_register %rbx",
      ".cfi_def_cfa_offset 0x12340",
      ".cfi_adjust_cfa_offset -8",
      ".cfi_offset %rbx, -16",
      ".cfi_offset %xmm5, -160",
      ".cfi_rel_offset %r12, 0",
      ".cfi_escape 0x14, 7, 1",
      ".cfi_register %r13, %r14",
      ".cfi_undefined %r15",
      ".cfi_same_value %r15",
      ".cfi_remember_state",
      ".cfi_offset %rbp, 24",
      ".cfi_def_cfa %rsp, 8",
      ".cfi_restore_state",
      ".cfi_restore %rbx",
      ".cfi_restore %xmm5",
      ".cfi_escape 0x0f, 3, 0x77, 8, 0x06",
      ".cfi_escape 0x10, 3, 2, 0x76, 0",
      ".cfi_escape 0x16, 12, 2, 0x77, 8",
      ".cfi_def_cfa %rsp, 8",
      ".cfi_escape 0x12, 7, 0x7c",
      ".cfi_escape 0x13, 0x7b",
      ".cfi_escape 0x11, 3, 0x7e",
      ".cfi_escape 0x15, 3, 0x7e",
      ".cfi_escape 0x14, 3, 2",
      ".cfi_escape 0x05, 3, 2",
      ".cfi_escape 0x06, 3",
      ".cfi_escape 0x2e, 0x90, 1",
      ".cfi_escape 0x2f, 3, 2",
      ".cfi_escape 0x2d",
    };
    StringBuilder source =
        new StringBuilder(".text\n.globl f\nf:\n.cfi_startproc\n.cfi_signal_frame\n");
    int size = 1;
    for (String row : rows) {
      source.append(".zero ").append(size).append("\n").append(row).append('\n');
      size = size * 5 % 70_001; // advances of 1, 2 and 4 bytes
    }
    return source.append(".zero 9\n.cfi_endproc\n").toString();
  }
}
