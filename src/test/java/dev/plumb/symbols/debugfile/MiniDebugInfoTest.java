package dev.plumb.symbols.debugfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Symbols packed into the file by xz, and packages that are not to be trusted. */
class MiniDebugInfoTest {
  @Test
  void unpacksWhatXzPacked() throws IOException {
    Stripped made = Stripped.make("mini", 4);
    Path program = withSection("mini-packed", made.program(), xz(made.debug()));
    try (ElfFile elf = ElfFile.open(program);
        Arena arena = Arena.ofConfined()) {
      MemorySegment image = MiniDebugInfo.read(elf, arena).orElseThrow();
      assertThat(image.mismatch(MemorySegment.ofArray(Files.readAllBytes(made.debug()))))
          .isEqualTo(-1);
    }
    assertThat(read(made.program())).isEmpty();
  }

  @Test
  void bombsAreRefused() throws IOException {
    Stripped made = Stripped.make("mini-bomb", 5);
    Path zeros = Fixtures.file("mini-zeros");
    Fixtures.run("truncate", "-s", "200M", zeros.toString());
    Path packed = xz(zeros, "-1");
    assertThat(Files.size(packed)).isLessThan(100_000);
    Path program = withSection("mini-bomb-packed", made.program(), packed);
    assertThatThrownBy(() -> read(program))
        .isInstanceOf(ElfException.class)
        .hasMessageContaining("more than");
    Path greedy = xz(made.debug(), "--lzma2=dict=512MiB");
    Path second = withSection("mini-greedy", made.program(), greedy);
    assertThatThrownBy(() -> read(second))
        .isInstanceOf(ElfException.class)
        .hasMessageContaining("memory");
  }

  @Test
  void damagedOnesAreRefused() throws IOException {
    Stripped made = Stripped.make("mini-damaged", 6);
    byte[] good = Files.readAllBytes(xz(made.debug()));
    Random random = new Random(7);
    byte[] whole =
        Files.readAllBytes(withSection("mini-damaged-packed", made.program(), xz(made.debug())));
    int start = indexOf(whole, good);
    int refused = 0;
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = whole.clone();
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        bytes[start + random.nextInt(good.length)] = (byte) random.nextInt(256);
      }
      try (Arena arena = Arena.ofConfined();
          ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "damaged")) {
        MiniDebugInfo.read(elf, arena);
      } catch (ElfException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(1800);
  }

  private static int indexOf(byte[] whole, byte[] part) {
    for (int i = 0; i + part.length <= whole.length; i++) {
      int n = 0;
      while (n < part.length && whole[i + n] == part[n]) {
        n++;
      }
      if (n == part.length) {
        return i;
      }
    }
    throw new AssertionError("the section is not there");
  }

  private static Optional<Long> read(Path program) {
    try (ElfFile elf = ElfFile.open(program);
        Arena arena = Arena.ofConfined()) {
      return MiniDebugInfo.read(elf, arena).map(MemorySegment::byteSize);
    }
  }

  static Path xz(Path file, String... options) {
    Path packed = Path.of(file + ".xz");
    Fixtures.run(
        "sh",
        "-c",
        "xz -c " + String.join(" ", options) + " \"$0\" > \"$1\"",
        file.toString(),
        packed.toString());
    return packed;
  }

  static Path withSection(String name, Path program, Path packed) {
    Path result = Fixtures.file(name);
    Fixtures.run(
        "objcopy",
        "--add-section",
        ".gnu_debugdata=" + packed,
        program.toString(),
        result.toString());
    return result;
  }
}
