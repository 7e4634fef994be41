package dev.plumb.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class HostileElfTest {
  private static final String SOURCE =
      "int f(void) { return 1; }\nint main(void) { return f(); }\n";

  @Test
  void doesNotBelieveTheSizeOfCompressedSections() throws IOException {
    StringBuilder source = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      source.append("int number_%d(int x) { return x + %d; }\n".formatted(i, i));
    }
    Path plain = Fixtures.gcc("liar.o", source.toString(), "-g", "-c");
    for (String kind : new String[] {"zlib", "zstd"}) {
      Path packed = Fixtures.file("liar-" + kind + ".o");
      Fixtures.run(
          "llvm-objcopy-19",
          "--compress-debug-sections=" + kind,
          plain.toString(),
          packed.toString());
      byte[] bytes = Files.readAllBytes(packed);
      long fileOffset;
      try (ElfFile elf = ElfFile.open(packed)) {
        fileOffset = elf.section(".debug_info").orElseThrow().fileOffset();
      }
      for (long claim : new long[] {0, 1, 1 << 20, 1L << 31, 1L << 40, Long.MAX_VALUE, -1}) {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong((int) fileOffset + 8, claim);
        try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), kind)) {
          Section section = elf.section(".debug_info").orElseThrow();
          if (claim == 0) {
            assertThat(kind.equals("zstd") || elf.data(section).byteSize() == 0).isTrue();
          } else if (claim > 1 || claim < 0 || kind.equals("zstd")) {
            assertThatThrownBy(() -> elf.data(section)).isInstanceOf(ElfException.class);
          }
        }
      }
    }
  }

  @Test
  void readsSegmentsThoughTheSectionTableIsBroken() throws IOException {
    Path program = Fixtures.gcc("broken-sections", SOURCE, "-Wl,--build-id=0xfeed");
    byte[] bytes = Files.readAllBytes(program);
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(40, 1L << 50);
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "broken")) {
      assertThatThrownBy(elf::sections)
          .isInstanceOf(ElfException.class)
          .hasMessageContaining("lies outside");
      assertThat(elf.segments()).isNotEmpty();
      assertThat(elf.buildId()).contains("feed");
      assertThat(elf.dynamic()).isNotEmpty();
    }
  }

  @Test
  void isNotKeptBusyBySparseFiles() throws IOException {
    Path program = Fixtures.gcc("sparse-original", SOURCE);
    Path file = Fixtures.file("sparse");
    Files.deleteIfExists(file);
    Files.copy(program, file);
    long end = 1L << 38;
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      f.setLength(end);
      byte[] header = new byte[64];
      f.readFully(header);
      ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
      long sections = 1L << 30;
      fields.putLong(40, sections).putShort(60, (short) 0);
      f.seek(0);
      f.write(header);
      f.seek(sections + 32);
      f.writeLong(Long.reverseBytes(1L << 31));
    } catch (IOException e) {
      Assumptions.abort("no sparse files here: " + e.getMessage());
    }
    assertTimeout(
        Duration.ofSeconds(30),
        () -> {
          try (ElfFile elf = ElfFile.open(file)) {
            assertThatThrownBy(elf::sections)
                .isInstanceOf(ElfException.class)
                .hasMessageContaining("2147483648 sections");
            assertThatThrownBy(() -> elf.section(".text")).isInstanceOf(ElfException.class);
            Section claimed =
                new Section(1, ".symtab", Section.SHT_SYMTAB, 0, 0, 0, end, 1, 0, 8, 24);
            assertThatThrownBy(() -> elf.symbols(claimed)).isInstanceOf(ElfException.class);
          }
        });
    Files.delete(file);
  }

  @Test
  void survivesAFileThatShrinksWhileItIsMapped() throws IOException {
    Path original = Fixtures.gcc("shrinking-original", SOURCE);
    Path file = Fixtures.file("shrinking");
    for (int round = 0; round < 400; round++) {
      Files.deleteIfExists(file);
      Files.copy(original, file);
      try (ElfFile elf = ElfFile.open(file)) {
        Section table = elf.section(".symtab").orElseThrow();
        SymbolTable symbols = elf.symbols(table);
        assertThat(readAll(elf, symbols)).isFalse();
        try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
          f.setLength(round % 2 == 0 ? 0 : 4096);
        }
        assertThat(readAll(elf, symbols)).isTrue();
        assertThatThrownBy(() -> LostPages.guard("symbols", () -> elf.bytes(table).i64(0)))
            .isInstanceOf(ElfException.class);
      }
    }
  }

  /** Whether something was refused. */
  private static boolean readAll(ElfFile elf, SymbolTable symbols) {
    boolean refused = false;
    for (int i = 0; i < symbols.size(); i++) {
      try {
        symbols.name(i);
        symbols.value(i);
        symbols.section(i);
      } catch (ElfException e) {
        refused = true;
      }
    }
    try {
      elf.sections().forEach(s -> elf.bytes(s).size());
      elf.notes();
      elf.dynamic();
    } catch (ElfException e) {
      refused = true;
    }
    return refused;
  }
}
