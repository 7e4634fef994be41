package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Symbol tables within their ceiling, and files that are broken or break. */
class SymbolMemoryTest {
  private static Path library(String name, int functions) {
    StringBuilder source = new StringBuilder();
    for (int i = 0; i < functions; i++) {
      source.append("int %s_%d(int x) { return x + %d; }\n".formatted(name, i, i));
    }
    return Fixtures.gcc(
        "lib" + name + ".so", source.toString(), "-shared", "-fPIC", "-fvisibility=hidden");
  }

  private static String nameAt(Symbolizer symbolizer, Path file, String function)
      throws IOException {
    String line =
        Fixtures.run("nm", file.toString())
            .lines()
            .filter(l -> l.endsWith(" " + function))
            .findFirst()
            .orElseThrow();
    long elfAddress = Long.parseLong(line.split(" ")[0], 16);
    try (Mappings mappings = Mappings.ofFile(file, Files.size(file))) {
      Mapping mapping = mappings.only();
      // ld puts .text at the same offset as address in small libraries.
      return symbolizer.user(mapping, mapping.start() + elfAddress, false).getFirst().name();
    }
  }

  @Test
  void keepsTablesWithinTheCeilingAndReadsThemAgain() throws IOException {
    Path first = library("first", 500);
    Path second = library("second", 500);
    Path third = library("third", 500);
    try (Symbolizer symbolizer = new Symbolizer(25_000)) {
      assertThat(nameAt(symbolizer, first, "first_7")).isEqualTo("first_7");
      assertThat(nameAt(symbolizer, second, "second_8")).isEqualTo("second_8");
      assertThat(nameAt(symbolizer, first, "first_9")).isEqualTo("first_9");
      assertThat(symbolizer.filesRead()).isEqualTo(2);
      assertThat(nameAt(symbolizer, third, "third_1")).isEqualTo("third_1");
      assertThat(symbolizer.tableBytes()).isBetween(1L, 25_000L);
      assertThat(nameAt(symbolizer, first, "first_3")).isEqualTo("first_3");
      assertThat(symbolizer.filesRead()).isEqualTo(3);
      assertThat(nameAt(symbolizer, second, "second_3")).isEqualTo("second_3");
      assertThat(symbolizer.filesRead()).isEqualTo(4);
      assertThat(symbolizer.tableBytes()).isBetween(1L, 25_000L);
    }
  }

  @Test
  void leavesOutATableThatIsTooLarge() throws IOException {
    Path large = library("large", 500);
    try (Symbolizer symbolizer = new Symbolizer(4096)) {
      assertThat(nameAt(symbolizer, large, "large_7")).startsWith("[unknown in liblarge.so+0x");
      assertThat(symbolizer.unnamedCounts()).containsOnlyKeys(UnnamedReason.TOO_LARGE);
      assertThat(symbolizer.fileProblems().getFirst()).contains("functions, more than");
    }
  }

  @Test
  void appliesTheStyleOfNames() throws IOException {
    Path file = library("styled", 2);
    try (Symbolizer symbolizer = new Symbolizer(1 << 20, n -> "<" + n + ">")) {
      assertThat(nameAt(symbolizer, file, "styled_1")).isEqualTo("<styled_1>");
    }
  }

  @Test
  void losesOnlyTheNamesOfBrokenFiles() throws IOException {
    byte[] good = Files.readAllBytes(library("good", 20));
    Random random = new Random(5);
    List<byte[]> broken = new ArrayList<>();
    broken.add(new byte[0]);
    broken.add("#!/bin/sh\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    for (int i = 0; i < 300; i++) {
      byte[] bytes = good.clone();
      if (i % 3 == 0) {
        bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      for (int n = 0; bytes.length > 0 && n < 20; n++) {
        int at =
            random.nextBoolean()
                ? random.nextInt(Math.min(64, bytes.length))
                : random.nextInt(bytes.length);
        bytes[at] = (byte) random.nextInt();
      }
      broken.add(bytes);
    }
    Path file = Fixtures.file("broken.so");
    try (Symbolizer symbolizer = new Symbolizer()) {
      for (byte[] bytes : broken) {
        Files.deleteIfExists(file);
        Files.write(file, bytes);
        try (Mappings mappings = Mappings.ofFile(file, good.length)) {
          Mapping mapping = mappings.only();
          for (int n = 0; n < 50; n++) {
            Frame frame =
                symbolizer
                    .user(mapping, mapping.start() + random.nextInt(good.length), n % 2 == 0)
                    .getFirst();
            assertThat(frame.module()).isEqualTo("broken.so");
          }
        }
      }
      assertThat(symbolizer.unnamedCounts()).containsKey(UnnamedReason.BROKEN);
      assertThat(symbolizer.fileProblems()).isNotEmpty().hasSizeLessThanOrEqualTo(100);
    }
  }

  @Test
  void survivesAFileThatShrinksWhenItsNamesAreNeeded() throws IOException {
    Path original = library("shrinks", 50);
    Path file = Fixtures.file("libshrinks-copy.so");
    for (int round = 0; round < 50; round++) {
      Files.deleteIfExists(file);
      Files.copy(original, file);
      try (Symbolizer symbolizer = new Symbolizer();
          Mappings mappings = Mappings.ofFile(file, Files.size(file))) {
        Mapping mapping = mappings.only();
        long text = mapping.start() + 0x1000;
        symbolizer.user(mapping, text, false);
        try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
          f.setLength(0);
        }
        for (long a = text; a < text + 0x400; a += 3) {
          assertThat(symbolizer.user(mapping, a, false)).hasSize(1);
        }
        assertThat(symbolizer.unnamedCounts()).containsKey(UnnamedReason.BROKEN);
      }
    }
  }
}
