package dev.plumb.export.plumb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.export.BlockMutants;
import dev.plumb.export.Mutants;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.file.Reading;
import dev.plumb.export.wire.FormatException;
import dev.plumb.export.wire.VarIn;
import dev.plumb.export.wire.VarOut;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlumbFormatTest {
  @Test
  void keepsEverything() throws IOException {
    try (Recording recording = TestRecordings.varied(9_000, 30_000);
        Recording read = RoundTrip.reread(recording, "plumb", RoundTrip.OPTIONS).recording()) {
      assertThat(read.startNanos()).isEqualTo(recording.startNanos());
      assertThat(read.durationNanos()).isEqualTo(recording.durationNanos());
      assertThat(read.facts()).isEqualTo(recording.facts());
      assertThat(read.profiles()).hasSameSizeAs(recording.profiles());
      for (int i = 0; i < recording.profiles().size(); i++) {
        Profile expected = recording.profiles().get(i);
        Profile actual = read.profiles().get(i);
        assertThat(head(actual)).isEqualTo(head(expected));
        assertThat(rows(actual)).isEqualTo(rows(expected));
        assertThat(times(actual)).isEqualTo(times(expected));
      }
    }
  }

  private static List<Object> head(Profile profile) {
    return List.of(
        profile.mode(),
        profile.name(),
        profile.types(),
        profile.mainType(),
        profile.periodType(),
        profile.period(),
        profile.quality());
  }

  private static List<String> rows(Profile profile) {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < profile.rows(); row++) {
      int stack = profile.stack(row);
      StringBuilder text = new StringBuilder();
      for (int id : profile.stacks().frameIds(stack)) {
        text.append(profile.stacks().frames().get(id)).append('\n');
      }
      text.append(profile.stacks().end(stack)).append(profile.thread(row));
      text.append(profile.labels(row)).append(profile.value(row, 0)).append(' ');
      rows.add(text.append(profile.value(row, 1)).toString());
    }
    return rows;
  }

  private static List<String> times(Profile profile) {
    List<String> times = new ArrayList<>();
    profile
        .timeline()
        .forEach((time, row, cpu, value) -> times.add(time + " " + row + " " + cpu + " " + value));
    return times;
  }

  @Test
  void aCutFileIsReadUpToItsLastWholeBlock() throws IOException {
    byte[] whole;
    long total;
    try (Recording recording = TestRecordings.varied(9_000, 30_000)) {
      whole = RoundTrip.bytes(recording, "plumb", RoundTrip.OPTIONS);
      total = recording.main().total(0);
    }
    assertThat(read(whole).warnings()).isEmpty();
    List<Long> totals = new ArrayList<>();
    for (int length = PlumbFormat.HEAD_SIZE; length < whole.length; length += 997) {
      try {
        Reading reading = read(Arrays.copyOf(whole, length));
        assertThat(reading.warnings()).hasSize(1).first().asString().contains("cut short");
        totals.add(reading.recording().main().total(0));
        reading.recording().close();
      } catch (FormatException e) {
        assertThat(totals).as("a longer prefix holds no less").isEmpty();
        assertThat(e).hasMessageContaining("cut short");
      }
    }
    assertThat(totals).isSorted().endsWith(total);
    assertThat(totals.stream().distinct().count()).as("prefixes of use").isGreaterThan(1);
  }

  @Test
  void damageIsToldAndWhatComesBeforeIsKept() throws IOException {
    byte[] bytes;
    try (Recording recording = TestRecordings.varied()) {
      bytes = RoundTrip.bytes(recording, "plumb", RoundTrip.OPTIONS);
    }
    bytes[bytes.length - PlumbFormat.BLOCK_HEAD_SIZE - 5] ^= 1;
    Reading reading = read(bytes);
    assertThat(reading.warnings()).hasSize(1).first().asString().contains("damaged");
    reading.recording().close();
  }

  @Test
  void aNewerVersionIsRefused() throws IOException {
    byte[] bytes;
    try (Recording recording = TestRecordings.varied()) {
      bytes = RoundTrip.bytes(recording, "plumb", RoundTrip.OPTIONS);
    }
    bytes[PlumbFormat.HEAD_VERSION_OFFSET]++;
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("newer Plumb")
        .hasMessageContaining("update");
  }

  @Test
  void aReasonOfALaterVersionIsAReason() {
    VarOut stacks = new VarOut().number(0).number(StackEnd.values().length + 5);
    StackTable.Builder into = new StackTable.Builder();
    PlumbTablesIn tables = new PlumbTablesIn(into, ReadingPlan.EVERYTHING);
    tables.stacks(new VarIn(stacks.array(), stacks.size()));
    int stack = tables.stack(new VarIn(new byte[] {0}, 1));
    assertThat(into.build().end(stack)).isEqualTo(StackEnd.OTHER);
  }

  @Test
  void anotherFileIsRefused() {
    assertThatThrownBy(
            () ->
                new PlumbReader()
                    .read(new ByteArrayInputStream("hello".getBytes(StandardCharsets.UTF_8))))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("not a .plumb file");
  }

  @Test
  void mutantsAreReadOrRefused() throws IOException {
    byte[] bytes;
    try (Recording recording = TestRecordings.varied(25, 300)) {
      bytes = RoundTrip.bytes(recording, "plumb", RoundTrip.OPTIONS);
    }
    Mutants.check(bytes, 4_000, 11, new PlumbReader());
  }

  /** Checksums keep random damage from the parsers behind them; so these are made right again. */
  @Test
  void mutantsWithRightChecksumsAreReadOrRefused() throws IOException {
    byte[] bytes;
    try (Recording recording = TestRecordings.varied(25, 300)) {
      bytes = RoundTrip.bytes(recording, "plumb", RoundTrip.OPTIONS);
    }
    Random random = new Random(12);
    for (int i = 0; i < 4_000; i++) {
      byte[] mutant = BlockMutants.mutate(bytes, random);
      Mutants.readOrRefuse(mutant, new PlumbReader(), "mutant " + i);
    }
  }

  private static Reading read(byte[] bytes) throws IOException {
    return new PlumbReader().read(new ByteArrayInputStream(bytes));
  }
}
