package dev.plumb.symbols.debugfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each place where a debug file may lie, below a root of our own; and what must be refused. */
class DebugFilesTest {
  private static final String PROGRAM = "/opt/app/program";

  private static Stripped one;
  private static Stripped other;
  private static Stripped nameless;

  @TempDir Path root;

  private final List<String> refusals = new ArrayList<>();

  @BeforeAll
  static void make() {
    one = Stripped.make("debugfile-one", 1);
    other = Stripped.make("debugfile-other", 2);
    nameless = Stripped.make("debugfile-nameless", 3, "-Wl,--build-id=none");
  }

  private Optional<String> find(Path program) {
    try (ElfFile elf = ElfFile.open(program);
        DebugFiles files = DebugFiles.of(root.toString()).orElseThrow()) {
      Optional<DebugFile> found = files.find(elf, PROGRAM);
      refusals.addAll(files.refusals());
      found.ifPresent(
          f -> {
            try (f;
                ElfFile debug = f.open()) {
              assertThat(debug.section(".symtab")).isPresent();
            }
          });
      return found.map(DebugFile::path);
    }
  }

  private Path place(Path file, String path) throws IOException {
    return Stripped.place(file, root, path);
  }

  @Test
  void byBuildId() throws IOException {
    place(one.debug(), one.buildIdPath());
    assertThat(find(one.program())).contains(one.buildIdPath());
  }

  @Test
  void besideTheFile() throws IOException {
    place(one.debug(), "/opt/app/debugfile-one.debug");
    assertThat(find(one.program())).contains("/opt/app/debugfile-one.debug");
  }

  @Test
  void inTheFolderDebugBesideTheFile() throws IOException {
    place(nameless.debug(), "/opt/app/.debug/debugfile-nameless.debug");
    assertThat(find(nameless.program())).contains("/opt/app/.debug/debugfile-nameless.debug");
  }

  @Test
  void inTheFilesFolderBelowTheGlobalOne() throws IOException {
    place(nameless.debug(), "/usr/lib/debug/opt/app/debugfile-nameless.debug");
    assertThat(find(nameless.program()))
        .contains("/usr/lib/debug/opt/app/debugfile-nameless.debug");
  }

  @Test
  void inGdbsOrder() throws IOException {
    Path global = place(one.debug(), "/usr/lib/debug/opt/app/debugfile-one.debug");
    assertThat(find(one.program())).contains("/usr/lib/debug/opt/app/debugfile-one.debug");
    Path inFolder = place(one.debug(), "/opt/app/.debug/debugfile-one.debug");
    assertThat(find(one.program())).contains("/opt/app/.debug/debugfile-one.debug");
    place(one.debug(), "/opt/app/debugfile-one.debug");
    assertThat(find(one.program())).contains("/opt/app/debugfile-one.debug");
    place(one.debug(), one.buildIdPath());
    assertThat(find(one.program())).contains(one.buildIdPath());
    assertThat(List.of(global, inFolder)).allMatch(Files::exists);
    assertThat(refusals).isEmpty();
  }

  @Test
  void madeByElfutils() throws IOException {
    Path debug = Fixtures.file("debugfile-eu.debug");
    Path program = Fixtures.file("debugfile-eu");
    Fixtures.run(
        "eu-strip",
        "-f",
        debug.toString(),
        "-F",
        "debugfile-eu.debug",
        "-o",
        program.toString(),
        nameless.whole().toString());
    place(debug, "/opt/app/debugfile-eu.debug");
    assertThat(find(program)).contains("/opt/app/debugfile-eu.debug");
  }

  @Test
  void nothingIsNothing() throws IOException {
    assertThat(find(one.program())).isEmpty();
    assertThat(find(one.whole())).isEmpty();
    place(one.program(), PROGRAM);
    assertThat(find(one.program())).isEmpty();
    assertThat(refusals).isEmpty();
  }

  @Test
  void aWrongChecksumIsRefused() throws IOException {
    Path placed = place(nameless.debug(), "/opt/app/debugfile-nameless.debug");
    Files.write(placed, new byte[1], StandardOpenOption.APPEND);
    assertThat(find(nameless.program())).isEmpty();
    assertThat(refusals).singleElement().asString().contains("CRC ");
  }

  @Test
  void aWrongBuildIdIsRefused() throws IOException {
    place(other.debug(), one.buildIdPath());
    assertThat(find(one.program())).isEmpty();
    assertThat(refusals).singleElement().asString().contains("build id " + other.buildId());
    // A link whose CRC is right does not help.
    Path program = Fixtures.file("debugfile-mixed");
    Stripped.strip(one.whole(), program, other.debug());
    place(other.debug(), "/opt/app/debugfile-other.debug");
    assertThat(find(program)).isEmpty();
    assertThat(refusals).last().asString().contains("build id " + other.buildId());
  }

  @Test
  void whatIsNoElfFileIsRefused() throws IOException {
    Path garbage = Fixtures.file("debugfile-garbage");
    Files.writeString(garbage, "#!/bin/sh\n");
    place(garbage, one.buildIdPath());
    assertThat(find(one.program())).isEmpty();
    assertThat(refusals).singleElement().asString().contains("no ELF file");
  }

  @Test
  void linksStayInTheRoot() throws IOException {
    place(one.debug(), "/srv/real.debug");
    Path link = root.resolve(one.buildIdPath().substring(1));
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of("/srv/real.debug"));
    assertThat(find(one.program())).contains(one.buildIdPath());
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("../../../../../../../../../srv/real.debug"));
    assertThat(find(one.program())).contains(one.buildIdPath());
    Files.delete(link);
    // There outside, and the right one, but not the container's.
    Files.createSymbolicLink(link, one.debug());
    assertThat(Files.exists(link)).isTrue();
    assertThat(find(one.program())).isEmpty();
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("/proc/self/root" + one.debug()));
    assertThat(find(one.program())).isEmpty();
    Files.delete(link);
    Files.createSymbolicLink(link, link.getFileName());
    assertThat(find(one.program())).isEmpty();
  }

  @Test
  void whatIsNoRegularFileIsRefused() throws IOException {
    Path place = root.resolve(one.buildIdPath().substring(1));
    Files.createDirectories(place);
    assertThat(find(one.program())).isEmpty();
    Files.delete(place);
    Fixtures.run("mkfifo", place.toString());
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(30), () -> assertThat(find(one.program())).isEmpty());
    Files.delete(place);
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "mknod needs root");
    Fixtures.run("mknod", place.toString(), "c", "1", "5");
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(30), () -> assertThat(find(one.program())).isEmpty());
  }

  @Test
  void ofAProcess() throws IOException {
    Path program = Stripped.place(one.program(), root, "/program");
    Stripped.place(one.debug(), root, "/debugfile-one.debug");
    try (ElfFile elf = ElfFile.open(program);
        DebugFiles files = DebugFiles.of(ProcessCalls.getpid()).orElseThrow();
        DebugFile found = files.find(elf, program.toRealPath().toString()).orElseThrow()) {
      assertThat(found.path())
          .isEqualTo(root.toRealPath().resolve("debugfile-one.debug").toString());
    }
    assertThat(DebugFiles.of(0)).isEmpty();
  }

  /** dwz moves what two debug files share to a third one. */
  @Test
  void theAlternateFileOfDwz() throws IOException {
    Path folder = root.resolve("usr/lib/debug");
    Files.createDirectories(folder.resolve(".dwz"));
    Path first = Stripped.place(one.debug(), root, "/usr/lib/debug/one.debug");
    Path second = Stripped.place(other.debug(), root, "/usr/lib/debug/other.debug");
    Path common = folder.resolve(".dwz/common");
    Fixtures.run(
        "dwz",
        "-m",
        common.toString(),
        "-M",
        "/usr/lib/debug/.dwz/common",
        first.toString(),
        second.toString());
    assertThat(alternate(first)).contains("/usr/lib/debug/.dwz/common");
    // By its build id, if it lies elsewhere.
    String id;
    try (ElfFile elf = ElfFile.open(common)) {
      id = elf.buildId().orElseThrow();
    }
    String byId =
        "/usr/lib/debug/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
    Stripped.place(common, root, byId);
    Files.delete(common);
    assertThat(alternate(first)).contains(byId);
    Files.delete(root.resolve(byId.substring(1)));
    // Another file there is refused.
    Files.copy(other.debug(), common);
    assertThat(alternate(first)).isEmpty();
    assertThat(refusals).isNotEmpty().allMatch(r -> r.contains("build id " + other.buildId()));
    assertThat(alternate(one.debug())).isEmpty();
  }

  private Optional<String> alternate(Path debugFile) {
    try (ElfFile elf = ElfFile.open(debugFile);
        DebugFiles files = DebugFiles.of(root.toString()).orElseThrow()) {
      Optional<DebugFile> found = files.findAlternate(elf, "/usr/lib/debug/one.debug");
      found.ifPresent(DebugFile::close);
      refusals.addAll(files.refusals());
      return found.map(DebugFile::path);
    }
  }

  /** Damaged links lead nowhere or to the same file, and never fail. */
  @Test
  void damagedLinksNeverFail() throws IOException {
    place(nameless.debug(), "/opt/app/debugfile-nameless.debug");
    byte[] whole = Files.readAllBytes(nameless.program());
    int start;
    int size;
    try (ElfFile elf = ElfFile.open(nameless.program())) {
      Section link = elf.section(".gnu_debuglink").orElseThrow();
      start = (int) link.fileOffset();
      size = (int) link.size();
    }
    Random random = new Random(3);
    int found = 0;
    try (DebugFiles files = DebugFiles.of(root.toString()).orElseThrow()) {
      for (int i = 0; i < 3000; i++) {
        byte[] bytes = whole.clone();
        // In the section, or in the table of sections at the end of the file.
        boolean inside = random.nextBoolean();
        int at = inside ? start + random.nextInt(size) : whole.length - 1 - random.nextInt(2000);
        bytes[at] =
            (byte) (random.nextInt(3) == 0 ? "/.\0".charAt(random.nextInt(3)) : random.nextInt());
        try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "damaged")) {
          Optional<DebugFile> file = files.find(elf, PROGRAM);
          found += file.isPresent() ? 1 : 0;
          file.ifPresent(DebugFile::close);
          files.findAlternate(elf, PROGRAM).ifPresent(DebugFile::close);
        }
      }
    }
    assertThat(found).isBetween(100, 2900);
  }
}
