package dev.plumb.collect.tables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.Collection;
import dev.plumb.collect.kernel.KernelPrograms;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.process.BackingFile;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import dev.plumb.unwind.LoadedTable;
import dev.plumb.unwind.UnwindTables;
import dev.plumb.unwind.rule.UnwindTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables as they lie in the kernel's memory, in real maps. */
@RequiresRoot
class KernelTableTest {
  private static final long RBX_LOST = 63L << 58;

  @TempDir Path folder;

  private KernelPrograms kernel;
  private Collection programs;

  @BeforeEach
  void load() {
    kernel = new KernelPrograms(Target.EVERYTHING, StackOptions.DEFAULT, 1 << 20);
    programs = kernel.load("cpu");
  }

  @AfterEach
  void close() {
    programs.close();
    kernel.close();
  }

  /** Looks up as {@code tables.h} does. */
  private static long rule(TableMemory memory, KernelTable table, long elfAddress) {
    for (KernelTable.Piece piece : table.pieces()) {
      if (elfAddress >= piece.firstElfAddress() && elfAddress < piece.endElfAddress()) {
        long offset = elfAddress - piece.firstElfAddress();
        long at = piece.index().first() + 2 * (offset >>> KernelTable.PAGE_BITS);
        int chunk = memory.get(piece.index().chunk(), at);
        int place = memory.get(piece.index().chunk(), at + 1);
        int first = place & 0xffff;
        int count = place >>> 16;
        int page = (1 << KernelTable.PAGE_BITS) - 1;
        int row = count - 1;
        while (row > 0 && (memory.get(chunk, first + row) & page) > (offset & page)) {
          row--;
        }
        int number = memory.get(chunk, first + row) >>> KernelTable.PAGE_BITS;
        long cell = table.rules().first() + 2L * number;
        long low = memory.get(table.rules().chunk(), cell) & 0xFFFF_FFFFL;
        return low | (long) memory.get(table.rules().chunk(), cell + 1) << 32;
      }
    }
    throw new AssertionError("no piece has " + elfAddress);
  }

  @Test
  void saysWhatTheTableSays() throws IOException {
    UnwindTable table = table(libc());
    assertThat(table.rows()).isGreaterThan(10_000);
    try (TableMemory memory = new TableMemory(kernel.map("chunks"), 64 << 20)) {
      KernelTable written = KernelTable.write(table, memory).orElseThrow();
      assertThat(memory.bytes()).as("4 bytes a row and little more").isLessThan(table.rows() * 9L);
      List<Long> addresses = new ArrayList<>();
      Random random = new Random(9);
      long first = table.elfAddress(0);
      long last = table.elfAddress(table.rows() - 1);
      for (int i = 0; i < 20_000; i++) {
        addresses.add(first + random.nextLong(last - first));
        long row = table.elfAddress(random.nextInt(table.rows() - 1) + 1);
        addresses.add(row);
        addresses.add(row - 1);
      }
      for (long address : addresses) {
        assertThat(rule(memory, written, address))
            .as("%x", address)
            .isEqualTo(table.packedRuleAt(address) | RBX_LOST)
            .isEqualTo(written.packedRuleAt(address));
      }
      assertThat(written.ruleAt(first - (1 << 20))).isEqualTo(written.ruleAt(last + (1 << 20)));
      written.free();
      assertThat(memory.bytes()).as("all of it was given back").isZero();
    }
  }

  @Test
  void whatDoesNotFitIsNotThereAtAll() throws IOException {
    UnwindTable large = table(libc());
    UnwindTable small = table(Programs.compiled("spinner"));
    try (TableMemory memory = new TableMemory(kernel.map("chunks"), 64 << 10)) {
      assertThat(KernelTable.write(large, memory)).isEmpty();
      assertThat(memory.bytes()).isZero();
      assertThat(KernelTable.write(small, memory)).as("others are not harmed").isPresent();
    }
  }

  /** What the kernel side has need not be in the heap. */
  @Test
  void aLargeTableIsMadeOnce() throws IOException {
    Path large = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
    try (TableMemory memory = new TableMemory(kernel.map("chunks"), 64 << 20);
        BackingFile file = open(large);
        BackingFile other = open(libc())) {
      FileTables tables = new FileTables(memory, null, 1 << 20, () -> {});
      UnwindTable made = tables.table(file).table();
      assertThat(made.bytes()).isGreaterThan(1 << 20);
      tables.table(other);
      FileTable again = tables.table(file);
      assertThat(again.table().rows()).as("in the heap").isZero();
      assertThat(again.isEmpty()).isFalse();
      assertThat(tables.made()).isEqualTo(2);
      long fileOffset = made.elfAddress(made.rows() / 2) & -4096;
      LoadedTable loaded = again.loadedAt(again.elfAddressAt(fileOffset).orElseThrow(), fileOffset);
      Random random = new Random(5);
      for (int i = 0; i < 10_000; i++) {
        long address = made.elfAddress(random.nextInt(made.rows()));
        assertThat(loaded.bias()).isZero();
        assertThat(loaded.table().packedRuleAt(address) | RBX_LOST)
            .isEqualTo(made.packedRuleAt(address) | RBX_LOST);
      }
    }
  }

  /** Files that nobody uses any more make room for others. */
  @Test
  void manyFilesInLittleMemory() throws IOException {
    Path source = libc();
    try (TableMemory memory = new TableMemory(kernel.map("chunks"), 1 << 20)) {
      FileTables tables = new FileTables(memory, null, () -> {});
      List<BackingFile> files = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Path copy = folder.resolve("lib" + i);
        Files.copy(source, copy);
        BackingFile file = open(copy);
        files.add(file);
        tables.table(file);
        Optional<KernelTable> used = tables.use(file);
        assertThat(used).as("file %d", i).isPresent();
        assertThat(memory.bytes()).isLessThanOrEqualTo(1 << 20);
        if (i > 2) {
          tables.release(file); // the first three stay in use
        }
      }
      assertThat(tables.refused()).isZero();
      files.forEach(BackingFile::close);
    }
  }

  private static BackingFile open(Path path) {
    Fd fd = new Fd(SystemCalls.tryOpen(path.toString(), SystemCalls.O_RDONLY, 0));
    return BackingFile.ofOpen(path.toString(), fd, SystemCalls.statx(fd));
  }

  private static UnwindTable table(Path path) {
    try (ElfFile elf = ElfFile.open(path)) {
      return UnwindTables.of(elf).table();
    }
  }

  /** The one that this process has mapped. */
  private static Path libc() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.matches(".*/libc\\.so\\.6")) {
        return Path.of(line.substring(line.indexOf('/')));
      }
    }
    throw new AssertionError("no libc mapped");
  }
}
