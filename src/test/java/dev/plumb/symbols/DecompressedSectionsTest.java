package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.DebugInfo;
import dev.plumb.dwarf.SourceFrame;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.SystemCalls;
import dev.plumb.profile.Frame;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections unpacked to files say what the compressed ones say, and stay within their bounds. */
class DecompressedSectionsTest {
  private static final String SOURCE =
      """
      #include <stdio.h>
      static inline int twice(int x) { return x * 2; }
      __attribute__((noinline)) int work(int x) { return twice(x) + 3; }
      int main(int argc, char **argv) { printf("%d", work(argc)); return 0; }
      """;

  @TempDir Path folder;

  private DecompressedSections sections(long ceiling) {
    return new DecompressedSections(new SymbolCacheFolder(cache(), ceiling));
  }

  private Path cache() {
    return folder.resolve("a/b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"zlib", "zlib-gnu", "zstd"})
  void theirAnswersAreTheSame(String kind) throws IOException {
    Path plain = plain();
    Path packed = packed(plain, kind);
    List<List<SourceFrame>> expected = answers(plain, false, 1 << 20);
    assertThat(expected.toString()).contains("name=main").contains("name=work");
    assertThat(answers(packed, true, 1 << 20)).isEqualTo(expected);
    Map<String, Object> made = files();
    assertThat(made.keySet()).anyMatch(name -> name.endsWith("-info.v1"));
    assertThat(made.keySet()).noneMatch(name -> name.contains("begun"));
    // The second time nothing is written.
    assertThat(answers(packed, true, 1 << 20)).isEqualTo(expected);
    assertThat(files()).isEqualTo(made);
  }

  @Test
  void damagedOnesAreMadeAnew() throws IOException {
    Path plain = plain();
    Path packed = packed(plain, "zlib");
    List<List<SourceFrame>> expected = answers(plain, false, 1 << 20);
    answers(packed, true, 1 << 20);
    Path info = cache().resolve(name("-info.v1"));
    byte[] good = Files.readAllBytes(info);
    for (int i = 0; i < 64; i += 7) {
      byte[] bad = good.clone();
      bad[i]++;
      Files.write(info, bad);
      assertThat(answers(packed, true, 1 << 20)).isEqualTo(expected);
      assertThat(info).hasBinaryContent(good);
    }
    for (int size : new int[] {0, 10, 64, good.length - 1}) {
      Files.write(info, Arrays.copyOf(good, size));
      assertThat(answers(packed, true, 1 << 20)).isEqualTo(expected);
      assertThat(info).hasBinaryContent(good);
    }
    Files.delete(info);
    Fixtures.run("mkfifo", info.toString());
    assertThat(answers(packed, true, 1 << 20)).isEqualTo(expected);
  }

  /** Anybody can make a file with the build id of another. */
  @Test
  void anotherFileWithThatBuildIdGetsItsOwn() throws IOException {
    Path plain = plain();
    Path one = packed(plain, "zlib");
    answers(one, true, 1 << 20);
    int before = files().size();
    Path two = Files.copy(one, folder.resolve("copy"));
    assertThat(answers(two, true, 1 << 20)).isEqualTo(answers(plain, false, 1 << 20));
    assertThat(files()).hasSize(2 * before);
  }

  @Test
  void whatWasUsedLongestAgoGoesFirst() throws IOException {
    Path one = packed(plain(), "zlib");
    answers(one, true, 1 << 20);
    long size = 0;
    for (String name : files().keySet()) {
      size += Files.size(cache().resolve(name));
      Files.setLastModifiedTime(
          cache().resolve(name), FileTime.from(Instant.now().minusSeconds(100)));
    }
    Path other = Files.writeString(cache().resolve("somebody-elses.v1"), "kept");
    List<String> first = List.copyOf(files().keySet());
    Path two = Files.copy(one, folder.resolve("copy"));
    answers(two, true, size + size / 2);
    long total = 0;
    for (String name : files().keySet()) {
      total += Files.size(cache().resolve(name));
    }
    assertThat(total).isLessThanOrEqualTo(size + size / 2);
    assertThat(files().keySet()).doesNotContainSequence(first).contains("somebody-elses.v1");
    assertThat(other).hasContent("kept");
  }

  @Test
  void whatDoesNotFitIsNotUnpacked() throws IOException {
    Path packed = packed(plain(), "zlib");
    try (ElfFile elf = ElfFile.open(packed)) {
      assertThat(sections(1000).provide(elf, identity(packed))).isFalse();
      assertThat(cache()).doesNotExist();
      Files.createDirectories(cache().getParent());
      Files.writeString(cache(), "no folder");
      assertThat(sections(1 << 20).provide(elf, identity(packed))).isFalse();
    }
  }

  /** Sizes that lie, and content that is broken: nothing is thrown, nothing is left over. */
  @ParameterizedTest
  @ValueSource(strings = {"zlib", "zstd"})
  void brokenOnesAreRefused(String kind) throws IOException {
    byte[] good = Files.readAllBytes(packed(plain(), kind));
    Random random = new Random(11);
    Path file = folder.resolve("bad");
    int refused = 0;
    for (int i = 0; i < 40; i++) {
      byte[] bad = good.clone();
      Files.write(file, bad);
      List<Section> targets = new ArrayList<>();
      try (ElfFile elf = ElfFile.open(file)) {
        elf.sections().stream().filter(s -> s.name().startsWith(".debug_")).forEach(targets::add);
      }
      for (int n = random.nextInt(8); n >= 0; n--) {
        Section section = targets.get(random.nextInt(targets.size()));
        // Half of them in the header: type, size.
        long at = random.nextBoolean() ? random.nextInt(24) : random.nextLong(section.size());
        bad[(int) (section.fileOffset() + Math.min(at, section.size() - 1))] =
            (byte) random.nextInt();
      }
      Files.write(file, bad, StandardOpenOption.TRUNCATE_EXISTING);
      try (ElfFile elf = ElfFile.open(file)) {
        refused += sections(1 << 20).provide(elf, identity(file)) ? 0 : 1;
        DebugInfo.of(elf).frames(elf.section(".text").orElseThrow().elfAddress() + 100);
      } catch (ElfException e) {
        throw new AssertionError(e);
      }
      assertThat(files().keySet()).noneMatch(name -> name.contains("begun"));
    }
    assertThat(refused).isGreaterThan(10);
  }

  /** More than is unpacked to memory: without a folder there are no lines, with one there are. */
  @Test
  void largeDebugInformationIsUsed() throws IOException {
    Path plain = plain();
    byte[] hex = new byte[27 << 20];
    Random random = new Random(5);
    for (int i = 0; i < hex.length; i++) {
      hex[i] = (byte) "0123456789abcdef".charAt(random.nextInt(16));
    }
    Path ballast = folder.resolve("ballast");
    Files.write(ballast, hex);
    Path large = folder.resolve("large");
    Fixtures.run("cp", plain.toString(), large.toString());
    Fixtures.run("objcopy", "--add-section", ".debug_addr=" + ballast, large.toString());
    Fixtures.run("objcopy", "--compress-debug-sections=zstd", large.toString());
    assertThat(Files.size(large)).isGreaterThan(12 << 20);
    Files.writeString(folder.resolve("a"), "no folder");
    assertThat(linesOf(large)).isZero();
    Files.delete(folder.resolve("a"));
    assertThat(linesOf(large)).isGreaterThan(3);
    assertThat(files()).isNotEmpty();
  }

  private int linesOf(Path file) throws IOException {
    int lines = 0;
    try (Symbolizer symbolizer = new Symbolizer();
        ElfFile elf = ElfFile.open(file);
        Mappings mappings = Mappings.ofFile(file.toRealPath(), Files.size(file))) {
      symbolizer.keepIn(new SymbolCacheFolder(cache(), 64 << 20), IndexFiles.LEAST);
      Section text = elf.section(".text").orElseThrow();
      for (long at = 0; at < text.size(); at += 4) {
        long address = mappings.only().start() + text.fileOffset() + at;
        for (Frame frame : symbolizer.user(mappings.only(), address, false)) {
          lines += frame.line() > 0 ? 1 : 0;
        }
      }
    }
    return lines;
  }

  private static Path plain() {
    return Fixtures.gcc("unpacked", SOURCE, "-O2", "-g", "-gz=none", "-Wl,--build-id=sha1");
  }

  private Path packed(Path plain, String kind) {
    Path packed = folder.resolve("packed-" + kind);
    Fixtures.run(
        "objcopy", "--compress-debug-sections=" + kind, plain.toString(), packed.toString());
    return packed;
  }

  private List<List<SourceFrame>> answers(Path file, boolean unpack, long ceiling) {
    List<List<SourceFrame>> answers = new ArrayList<>();
    try (ElfFile elf = ElfFile.open(file)) {
      if (unpack) {
        assertThat(DecompressedSections.compressedBytes(elf)).isPositive();
        assertThat(sections(ceiling).provide(elf, identity(file))).isTrue();
      }
      DebugInfo info = DebugInfo.of(elf);
      assertThat(info.decompressedBytes()).as("memory").isZero();
      Section text = elf.section(".text").orElseThrow();
      for (long at = 0; at < text.size(); at += 3) {
        answers.add(info.frames(text.elfAddress() + at));
      }
    }
    return answers;
  }

  private static FileIdentity identity(Path file) {
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY)) {
      return SystemCalls.statx(fd);
    }
  }

  /** Names, and which files they are. */
  private Map<String, Object> files() throws IOException {
    Map<String, Object> found = new TreeMap<>();
    if (Files.isDirectory(cache())) {
      try (Stream<Path> all = Files.list(cache())) {
        for (Path file : all.toList()) {
          found.put(file.getFileName().toString(), Files.getAttribute(file, "unix:ino"));
        }
      }
    }
    return found;
  }

  private String name(String end) throws IOException {
    return files().keySet().stream().filter(n -> n.endsWith(end)).findFirst().orElseThrow();
  }
}
