package dev.plumb.collect.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTablesTest {
  private static final Path PROGRAM = Path.of("/bin/ls");

  @TempDir Path folder;

  private static BackingFile open(Path path) {
    Fd fd = new Fd(SystemCalls.tryOpen(path.toString(), SystemCalls.O_RDONLY, 0));
    return BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
  }

  @Test
  void equalFilesHaveOneTable() throws Exception {
    Path copy = Files.copy(PROGRAM, folder.resolve("copy"));
    try (FileTables tables = FileTables.forHere();
        BackingFile first = open(PROGRAM);
        BackingFile second = open(copy)) {
      FileTable table = tables.table(first);
      assertThat(table.isEmpty()).isFalse();
      assertThat(tables.table(second)).isSameAs(table);
      assertThat(tables.made()).isEqualTo(1);
      tables.keepOnly(Set.of(second));
      assertThat(tables.table(second)).isSameAs(table);
      tables.keepOnly(Set.of());
      assertThat(tables.table(first)).isNotSameAs(table);
      assertThat(tables.made()).isEqualTo(2);
    }
  }

  /** The build id is the same, what it stands for is not. */
  @Test
  void aFileThatLiesHasItsOwn() throws Exception {
    byte[] bytes = Files.readAllBytes(PROGRAM);
    try (ElfFile elf = ElfFile.open(PROGRAM)) {
      long frames = elf.section(".eh_frame").orElseThrow().fileOffset();
      bytes[(int) frames + 100] ^= 1;
    }
    Path changed = Files.write(folder.resolve("changed"), bytes);
    try (FileTables tables = FileTables.forHere();
        BackingFile first = open(PROGRAM);
        BackingFile second = open(changed)) {
      assertThat(tables.table(second)).isNotSameAs(tables.table(first));
    }
  }
}
