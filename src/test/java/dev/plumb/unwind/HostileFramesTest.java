package dev.plumb.unwind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files made to cost time or memory. */
@Timeout(60)
class HostileFramesTest {
  private static final int NOP = 0;
  private static final int REMEMBER_STATE = 0x0a;
  private static final int DEF_CFA_OFFSET = 0x0e;
  private static final int ADVANCE_1 = 0x41;

  private final ByteBuffer frames = ByteBuffer.allocate(40 << 20).order(ByteOrder.LITTLE_ENDIAN);

  private long text;

  /** Each function uses another of many large common entries, so that none is ever kept. */
  @Test
  void manyCommonEntriesInTurn() throws IOException {
    int commons = 2000;
    int size = 4000;
    for (int i = 0; i < commons; i++) {
      common(size);
    }
    for (int i = 0; i < 400_000; i++) {
      function(i * 7 % commons * (size + 4), 0, 16, 0, 0);
    }
    UnwindTables.Built built = build("hostile-commons");
    assertThat(built.statistics().functions()).isEqualTo(400_000);
    assertThat(built.statistics().badFunctions()).isGreaterThan(300_000);
    assertThat(built.table().rows()).isGreaterThan(0);
  }

  /** All code is described again and again, each time from one byte further on. */
  @Test
  void manyFunctionsOverEachOther() throws IOException {
    common(20);
    for (int i = 0; i < 800_000; i++) {
      function(0, i % 50_000, 100_000 - i % 50_000, DEF_CFA_OFFSET, 8 + i % 100);
    }
    UnwindTables.Built built = build("hostile-overlaps");
    assertThat(built.statistics().badFunctions()).isZero();
    assertThat(built.table().rows()).isBetween(49_000, 51_000);
  }

  @Test
  void aFunctionOfManyRowsAndOneThatOnlySaves() throws IOException {
    common(20);
    int rows = 90_000;
    start(20 + 3 * rows, 0);
    frames.putLong(100_000);
    for (int i = 0; i < rows; i++) {
      frames.put((byte) ADVANCE_1).put((byte) DEF_CFA_OFFSET).put((byte) (8 + i % 64));
    }
    start(20 + 1_000_000, 0);
    frames.putLong(100_000);
    for (int i = 0; i < 1_000_000; i++) {
      frames.put((byte) REMEMBER_STATE);
    }
    UnwindTables.Built built = build("hostile-rows");
    assertThat(built.statistics().badFunctions()).isEqualTo(1);
    assertThat(built.table().rows()).isBetween(rows, rows + 3);
  }

  /** An entry larger than any real one is left out, whatever it says. */
  @Test
  void anEndlessEntry() throws IOException {
    common(20);
    start(20 + (8 << 20), 0);
    frames.putLong(100_000);
    frames.position(frames.position() + (8 << 20));
    function(0, 0, 16, DEF_CFA_OFFSET, 24);
    UnwindTables.Built built = build("hostile-entry");
    assertThat(built.statistics().badFunctions()).isEqualTo(1);
    assertThat(built.table().rows()).isEqualTo(2);
  }

  @Test
  void aFileThatIsTruncatedMeanwhile() throws IOException {
    Path copy = Fixtures.file("hostile-truncated");
    Files.copy(
        Path.of("/lib/x86_64-linux-gnu/libc.so.6"), copy, StandardCopyOption.REPLACE_EXISTING);
    try (ElfFile elf = ElfFile.open(copy);
        FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      assertThat(UnwindTables.of(elf).table().rows()).isGreaterThan(10_000);
      channel.truncate(8192);
      assertThatThrownBy(() -> UnwindTables.of(elf)).isInstanceOf(ElfException.class);
    }
  }

  /** {@code size} bytes behind the length. */
  private void common(int size) {
    int end = frames.position() + 4 + size;
    frames.putInt(size).putInt(-1).put((byte) 1).put((byte) 0);
    frames.put((byte) 1).put((byte) 0x78).put((byte) 16); // alignments 1 and -8, rip
    frames.put((byte) 0x0c).put((byte) 7).put((byte) 8).put((byte) 0x90).put((byte) 1);
    while (frames.position() < end) {
      frames.put((byte) NOP);
    }
  }

  private void function(int common, long offset, long size, int instruction, int operand) {
    start(24, common, offset);
    frames.putLong(size).put((byte) instruction).put((byte) operand).put((byte) 0).put((byte) 0);
  }

  private void start(int length, int common) {
    start(length, common, 0);
  }

  private void start(int length, int common, long offset) {
    frames.putInt(length).putInt(common).putLong(text() + offset);
  }

  private long text() {
    if (text != 0) {
      return text;
    }
    try (ElfFile elf = ElfFile.open(program())) {
      text =
          elf.segments().stream()
              .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
              .findFirst()
              .orElseThrow()
              .elfAddress();
      return text;
    }
  }

  /** 100 000 bytes of code of which nothing is known. */
  private static Path program() {
    Path program = Fixtures.file("hostile-program");
    if (!Files.exists(program)) {
      Fixtures.assemble(
          "hostile-program",
          ".text\n.globl _start\n_start:\n.skip 100000, 0x90\n",
          "-static",
          "-nostdlib");
    }
    return program;
  }

  private UnwindTables.Built build(String name) throws IOException {
    Path section = Fixtures.file(name + ".frames");
    byte[] bytes = new byte[frames.position()];
    frames.get(0, bytes);
    Files.write(section, bytes);
    Path file = Fixtures.file(name);
    Fixtures.run(
        "objcopy",
        "--add-section",
        ".debug_frame=" + section,
        program().toString(),
        file.toString());
    try (ElfFile elf = ElfFile.open(file)) {
      return UnwindTables.of(elf);
    }
  }
}
