package dev.plumb.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.plumb.linux.Fd;
import dev.plumb.linux.FileIdentity;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files behind mappings, whatever happens to their names. */
@RequiresRoot
class BackingFilesTest {
  private static final int GONE = 99_999_999;

  private final BackingFiles files = new BackingFiles(100);

  @TempDir Path folder;

  @AfterEach
  void close() {
    files.close();
  }

  @Test
  void aDeletedFileIsReadByItsMapping() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "the file");
    try (Mapped mapped = new Mapped(file)) {
      Files.delete(file);
      BackingFile found = mapped.in(files, ProcessCalls.getpid(), file + " (deleted)");
      assertThat(found.kind()).isEqualTo(BackingFile.Kind.FILE);
      assertThat(found.path()).isEqualTo(file.toString());
      assertThat(found.name()).isEqualTo("lib.so");
      assertThat(found.readable().orElseThrow()).hasContent("the file");
    }
  }

  @Test
  void aReplacedFileIsTheOldOne() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "old");
    try (Mapped mapped = new Mapped(file)) {
      Path other = Files.writeString(folder.resolve("other"), "new");
      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      BackingFile found = mapped.in(files, ProcessCalls.getpid(), file.toString());
      assertThat(found.readable().orElseThrow()).hasContent("old");
      assertThat(found.identity()).contains(mapped.identity);
    }
  }

  @Test
  void afterTheProcessTheFileIsFoundByItsName() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "still there");
    try (Mapped mapped = new Mapped(file)) {
      BackingFile found = mapped.in(files, GONE, file.toString());
      assertThat(found.readable().orElseThrow()).hasContent("still there");
    }
  }

  @Test
  void afterTheProcessAnotherFileOfThatNameIsNotTakenForIt() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "old");
    try (Mapped mapped = new Mapped(file)) {
      Path other = Files.writeString(folder.resolve("other"), "new");
      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      BackingFile found = mapped.in(files, GONE, file.toString());
      assertThat(found.readable()).isEmpty();
      assertThat(found.identity()).isEmpty();
      assertThat(found.path()).isEqualTo(file.toString());
      assertThat(files.refused()).as("lost, not refused").isZero();
    }
  }

  /** Opening a fifo waits for its other end; a hostile process could stop Plumb that way. */
  @Test
  void aFifoInItsPlaceDoesNotBlock() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "old");
    try (Mapped mapped = new Mapped(file)) {
      Files.delete(file);
      Programs.run("mkfifo", file.toString());
      BackingFile found =
          Assertions.assertTimeoutPreemptively(
              Duration.ofSeconds(20), () -> mapped.in(files, GONE, file.toString()));
      assertThat(found.readable()).isEmpty();
    }
  }

  @Test
  void oneFileIsOneObject() throws Exception {
    Path file = Files.writeString(folder.resolve("lib.so"), "shared");
    Path link = Files.createLink(folder.resolve("link.so"), file);
    try (Mapped one = new Mapped(file);
        Mapped two = new Mapped(link)) {
      int before = Fd.openCount();
      BackingFile first = one.in(files, ProcessCalls.getpid(), file.toString());
      BackingFile second = two.in(files, GONE, link.toString());
      assertThat(second).isSameAs(first);
      assertThat(Fd.openCount()).isEqualTo(before + 1);
    }
  }

  @Test
  void overTheLimitFilesAreCountedAndNamedOnly() throws Exception {
    try (BackingFiles two = new BackingFiles(2)) {
      int before = Fd.openCount();
      for (int i = 0; i < 5; i++) {
        Path file = Files.writeString(folder.resolve("lib" + i), "content");
        try (Mapped mapped = new Mapped(file)) {
          BackingFile found = mapped.in(two, ProcessCalls.getpid(), file.toString());
          assertThat(found.name()).isEqualTo("lib" + i);
          assertThat(found.readable().isPresent()).isEqualTo(i < 2);
        }
      }
      assertThat(two.refused()).isEqualTo(3);
      assertThat(Fd.openCount()).isEqualTo(before + 2);
    }
  }

  @Test
  void aLibraryInMemoryOnly() throws Exception {
    Path library =
        Programs.compile(
            Path.of("src/test/targets/plugin.c"),
            folder.resolve("plugin.so"),
            "-shared",
            "-fPIC",
            "-DWORK=work");
    try (Child child = Child.start(Programs.compiled("memfd").toString(), library.toString());
        ProcReader reader = new ProcReader()) {
      long run = Long.parseUnsignedLong(child.line(), 16);
      assertThat(run).isNotZero();
      BackingFile[] found = {null};
      ProcMaps.forEach(
          reader,
          child.pid(),
          line -> {
            if (line.start() <= run && run < line.end()) {
              found[0] =
                  files.of(
                      child.pid(),
                      line.start(),
                      line.end(),
                      line.deviceMajor(),
                      line.deviceMinor(),
                      line.inode(),
                      line.path());
            }
          });
      assertThat(found[0].path()).isEqualTo("/memfd:jit lib");
      assertThat(found[0].readable().orElseThrow()).hasSameBinaryContentAs(library);
    }
  }

  @Test
  void memoryWithoutAFile() {
    BackingFile vdso = files.of(1, 0, 4096, 0, 0, 0, "[vdso]");
    assertThat(vdso.kind()).isEqualTo(BackingFile.Kind.VDSO);
    for (String name : new String[] {"", "//anon", "[heap]", "[stack]", "[anon:jit]"}) {
      BackingFile memory = files.of(1, 0, 4096, 0, 0, 0, name);
      assertThat(memory.kind()).as(name).isEqualTo(BackingFile.Kind.ANONYMOUS);
      assertThat(memory.readable()).isEmpty();
      assertThat(files.of(2, 0, 4096, 0, 0, 0, name)).isSameAs(memory);
    }
  }

  @Test
  void closingGivesEveryDescriptorBack() throws Exception {
    int before = Fd.openCount();
    BackingFiles some = new BackingFiles(10);
    Path file = Files.writeString(folder.resolve("lib"), "content");
    try (Mapped mapped = new Mapped(file)) {
      mapped.in(some, ProcessCalls.getpid(), file.toString());
    }
    assertThat(Fd.openCount()).isEqualTo(before + 1);
    some.close();
    assertThat(Fd.openCount()).isEqualTo(before);
    assertThatCode(some::close).doesNotThrowAnyException();
  }

  /** A file that this process maps. */
  private static final class Mapped implements AutoCloseable {
    private final MappedMemory memory;
    private final FileIdentity identity;

    Mapped(Path file) {
      try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY)) {
        this.identity = SystemCalls.statx(fd);
        this.memory = SystemCalls.mmap(fd, 4096, SystemCalls.PROT_READ, SystemCalls.MAP_PRIVATE, 0);
      }
    }

    BackingFile in(BackingFiles files, int pid, String name) {
      long start = memory.segment().address();
      return files.of(
          pid,
          start,
          start + 4096,
          identity.deviceMajor(),
          identity.deviceMinor(),
          identity.inode(),
          name);
    }

    @Override
    public void close() {
      memory.close();
    }
  }
}
