package dev.plumb.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SystemCalls;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilePagesTest {
  private static final int SIZE = 8 << 20;

  @TempDir Path folder;

  @Test
  void whatIsGivenBackIsReadAgain() throws Exception {
    Path file = folder.resolve("file");
    byte[] content = new byte[SIZE];
    for (int i = 0; i < SIZE; i += 4096) {
      content[i] = (byte) (i >> 12);
    }
    Files.write(file, content);
    try (Arena arena = Arena.ofConfined();
        FileChannel channel = FileChannel.open(file)) {
      MemorySegment mapped = channel.map(MapMode.READ_ONLY, 0, SIZE, arena);
      long sum = sum(mapped);
      assertThat(resident(file)).isEqualTo(SIZE >> 10);
      FilePages.release();
      assertThat(resident(file)).isZero();
      assertThat(sum(mapped)).isEqualTo(sum);
    }
  }

  @Test
  void codeIsGivenBackAndWhatIsWrittenIsNot() throws Exception {
    Path file = folder.resolve("code");
    Files.write(file, new byte[SIZE]);
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY)) {
      int toRun = SystemCalls.PROT_READ | SystemCalls.PROT_EXEC;
      int toWrite = SystemCalls.PROT_READ | SystemCalls.PROT_WRITE;
      try (MappedMemory code = SystemCalls.mmap(fd, SIZE, toRun, SystemCalls.MAP_PRIVATE, 0)) {
        assertThat(sum(code.segment())).isZero();
        assertThat(resident(file)).isEqualTo(SIZE >> 10);
        FilePages.release();
        assertThat(resident(file)).isZero();
      }
      try (MappedMemory data = SystemCalls.mmap(fd, SIZE, toWrite, SystemCalls.MAP_PRIVATE, 0)) {
        data.segment().fill((byte) 1);
        FilePages.release();
        assertThat(sum(data.segment())).isEqualTo(SIZE / 4096);
      }
    }
  }

  @Test
  void whatADebuggerHasWrittenStays() throws Exception {
    Path file = folder.resolve("probed");
    Files.write(file, new byte[SIZE]);
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDONLY);
        MappedMemory code =
            SystemCalls.mmap(fd, SIZE, SystemCalls.PROT_READ, SystemCalls.MAP_PRIVATE, 0);
        RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "rw")) {
      memory.seek(code.segment().address() + SIZE / 2);
      memory.write(7);
      FilePages.release();
      assertThat(sum(code.segment())).isEqualTo(7);
    }
  }

  private static long sum(MemorySegment mapped) {
    long sum = 0;
    for (int i = 0; i < SIZE; i += 4096) {
      sum += mapped.get(ValueLayout.JAVA_BYTE, i);
    }
    return sum;
  }

  /** In kB, of the mapping of that file. */
  private static long resident(Path file) throws Exception {
    boolean there = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      there = line.matches("[0-9a-f]+-[0-9a-f]+ .*") ? line.endsWith(file.toString()) : there;
      if (there && line.startsWith("Rss:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("it is not mapped");
  }
}
