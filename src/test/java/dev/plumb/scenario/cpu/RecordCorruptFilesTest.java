package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that run although their files are broken where names are: recorded without names. */
@RequiresRoot
class RecordCorruptFilesTest {
  // Elf64_Ehdr
  private static final int E_SHOFF = 0x28;
  private static final int E_SHENTSIZE = 0x3a;
  private static final int E_SHNUM = 0x3c;

  @TempDir Path folder;

  @Test
  void sectionsBeyondTheEnd() throws Exception {
    Path program = busy();
    try (RandomAccessFile file = new RandomAccessFile(program.toFile(), "rw")) {
      file.seek(E_SHOFF);
      file.write(new byte[] {-1, -1, -1, -1, -1, -1, -1, 0x7f});
    }
    assertRecorded(program);
  }

  @Test
  void sectionsOfAnOddSize() throws Exception {
    Path program = busy();
    try (RandomAccessFile file = new RandomAccessFile(program.toFile(), "rw")) {
      file.seek(E_SHENTSIZE);
      file.write(new byte[] {7, 0});
      file.seek(E_SHNUM);
      file.write(new byte[] {-1, -1});
    }
    assertRecorded(program);
  }

  /** The section headers are at the end; the loader needs none of it. */
  @Test
  void sectionsOfNoise() throws Exception {
    Path program = busy();
    try (RandomAccessFile file = new RandomAccessFile(program.toFile(), "rw")) {
      file.seek(E_SHOFF);
      long sections = Long.reverseBytes(file.readLong());
      byte[] noise = new byte[(int) (file.length() - sections)];
      new Random(4).nextBytes(noise);
      file.seek(sections);
      file.write(noise);
    }
    assertRecorded(program);
  }

  @Test
  void aFileThatIsCutOffBehindItsCode() throws Exception {
    Path program = busy();
    try (RandomAccessFile file = new RandomAccessFile(program.toFile(), "rw")) {
      file.seek(E_SHOFF);
      long sections = Long.reverseBytes(file.readLong());
      file.setLength(sections + 100);
    }
    assertRecorded(program);
  }

  private Path busy() throws IOException {
    Path program =
        Programs.compile(
            Path.of("src/test/targets/busy.c"), folder.resolve("broken"), "-DWORK=broken_work");
    assertThat(Files.size(program)).isPositive();
    return program;
  }

  private void assertRecorded(Path program) {
    Path out = folder.resolve("out.folded");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", "-F", "499", "-o", out.toString(), "--", program.toString(), "500");
    assertThat(result.code()).as(result.err()).isZero();
    Folded folded = Folded.read(out);
    long inIt = folded.sum(line -> line.frames().getFirst().equals("broken"));
    assertThat(inIt).isGreaterThan(100);
    assertThat(folded.with("broken_work")).as("has no name any more").isZero();
    assertThat(folded.sum(line -> line.leaf().contains("broken")))
        .as("but the file it is in")
        .isGreaterThan(inIt / 2);
  }
}
