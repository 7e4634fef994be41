package dev.plumb.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.store.SpoolMark;
import dev.plumb.testing.TestRecordings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written to a spool comes out once and in order. */
class SpoolTest {
  private static final long PLENTY = 1L << 30;

  @TempDir Path folder;
  private final List<SpoolMark> marks = new ArrayList<>();
  private final List<String> said = new ArrayList<>();

  private SpoolReader reader() {
    return new SpoolReader(folder, PLENTY, said::add);
  }

  private void keep(Recording recording, SpoolMark mark) {
    assertThat(recording.main().rows()).isPositive();
    marks.add(mark);
  }

  @Test
  void recordingsComeOutInOrder() throws Exception {
    SpoolWriter writer = new SpoolWriter(folder, PLENTY);
    for (int i = 0; i < 12; i++) {
      assertThat(writer.add(TestRecordings.varied())).isEmpty();
    }
    assertThat(reader().take(this::keep)).isEqualTo(12);
    assertThat(marks.stream().map(SpoolMark::number)).isSorted().hasSize(12);
    assertThat(marks.stream().map(SpoolMark::source).distinct()).hasSize(1);
    assertThat(reader().take(this::keep)).as("they are gone").isZero();
    assertThat(files()).isEmpty();
    new SpoolWriter(folder, PLENTY).add(TestRecordings.varied());
    reader().take(this::keep);
    assertThat(marks.getLast().source()).isNotEqualTo(marks.getFirst().source());
  }

  /** The same mark again: the store knows whether it has committed it. */
  @Test
  void whatWasNotDeletedComesAgainWithItsMark() throws Exception {
    new SpoolWriter(folder, PLENTY).add(TestRecordings.varied());
    assertThatThrownBy(
            () ->
                reader()
                    .take(
                        (recording, mark) -> {
                          marks.add(mark);
                          throw new IllegalStateException("the disk is full");
                        }))
        .hasMessage("the disk is full");
    reader().take(this::keep);
    assertThat(marks).hasSize(2);
    assertThat(marks.getFirst()).isEqualTo(marks.getLast());
  }

  @Test
  void aDamagedFileIsSetAsideAndSaid() throws Exception {
    SpoolWriter writer = new SpoolWriter(folder, PLENTY);
    writer.add(TestRecordings.varied());
    Files.writeString(files().getFirst(), "nonsense");
    writer.add(TestRecordings.varied());
    assertThat(reader().take(this::keep)).isEqualTo(1);
    assertThat(said).singleElement().asString().contains("not a .plumb file");
    assertThat(files()).singleElement().asString().endsWith(".bad");
  }

  /** A file that ends the process that reads it must not do so forever. */
  @Test
  void aFileThatWasTriedOftenIsLeftAlone() throws Exception {
    new SpoolWriter(folder, PLENTY).add(TestRecordings.varied());
    Path file = files().getFirst();
    Files.move(
        file, file.resolveSibling(file.getFileName().toString().replace(".plumb", ".9.plumb")));
    assertThat(reader().take(this::keep)).isZero();
    assertThat(said).singleElement().asString().contains("cannot be read");
  }

  @Test
  void whatFindsNoRoomIsLostInTheNextOne() throws Exception {
    SpoolWriter writer = new SpoolWriter(folder, 1);
    assertThat(writer.add(TestRecordings.varied())).isEmpty();
    assertThat(writer.add(TestRecordings.varied())).contains("is the server there?");
    reader().take(this::keep);
    assertThat(writer.add(TestRecordings.varied())).isEmpty();
    List<Profile> profiles = new ArrayList<>();
    reader().take((recording, mark) -> profiles.addAll(recording.profiles()));
    try (Recording lost = TestRecordings.varied()) {
      for (int i = 0; i < profiles.size(); i++) {
        long samples = lost.profiles().get(i).quality().samples();
        assertThat(profiles.get(i).quality().lost().getOrDefault(SpoolWriter.LOST, 0L))
            .isEqualTo(samples);
      }
    }
  }

  @Test
  void onlyTheOwnerReadsIt() throws Exception {
    Path inner = folder.resolve("spool");
    new SpoolWriter(inner, PLENTY).add(TestRecordings.varied());
    assertThat(mode(inner)).isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(inner)) {
      assertThat(files).allMatch(file -> mode(file).equals("rw-------"));
    }
  }

  @Test
  void oneProcessWrites() throws Exception {
    try (SpoolLock lock = SpoolLock.take(folder).orElseThrow()) {
      assertThat(SpoolLock.take(folder)).isEmpty();
      assertThat(SpoolLock.owner(folder)).isEqualTo(Long.toString(ProcessHandle.current().pid()));
    }
    SpoolLock.take(folder).orElseThrow().close();
  }

  private static String mode(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> !file.getFileName().toString().equals("lock")).sorted().toList();
    }
  }
}
