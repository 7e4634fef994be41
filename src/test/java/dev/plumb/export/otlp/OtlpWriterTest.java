package dev.plumb.export.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.TestRecordings;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest;
import io.opentelemetry.proto.profiles.v1development.Line;
import io.opentelemetry.proto.profiles.v1development.Location;
import io.opentelemetry.proto.profiles.v1development.ProfilesDictionary;
import io.opentelemetry.proto.profiles.v1development.Sample;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/** OpenTelemetry's own classes read what Plumb writes, and find the same stacks. */
class OtlpWriterTest {
  @Test
  void sameStacksAndTotals() throws Exception {
    try (Recording recording = TestRecordings.varied(500, 4_000)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      Formats.write(recording, out, Formats.byName("otlp"), WriteOptions.DEFAULT);
      ExportProfilesServiceRequest read = ExportProfilesServiceRequest.parseFrom(out.toByteArray());
      ProfilesDictionary tables = read.getDictionary();
      assertThat(tables.getStringTable(0)).isEmpty();
      assertThat(tables.getStackTable(0).getLocationIndicesCount()).isZero();
      assertThat(tables.getLinkTableCount()).isEqualTo(1);
      List<io.opentelemetry.proto.profiles.v1development.Profile> profiles =
          read.getResourceProfiles(0).getScopeProfiles(0).getProfilesList();
      int next = 0;
      for (Profile profile : recording.profiles()) {
        for (int type = 0; type < profile.types().size(); type++) {
          var theirs = profiles.get(next++);
          assertThat(tables.getStringTable(theirs.getSampleType().getTypeStrindex()))
              .isEqualTo(profile.types().get(type).name());
          assertThat(theirs.getTimeUnixNano()).isEqualTo(recording.startNanos());
          assertThat(sums(theirs, tables)).isEqualTo(sums(profile, type));
        }
      }
      assertThat(profiles).hasSize(next);
    }
  }

  /** By stack, leaf first, with lines; the thread in front. */
  private static Map<String, Long> sums(
      io.opentelemetry.proto.profiles.v1development.Profile profile, ProfilesDictionary tables) {
    Map<String, Long> sums = new HashMap<>();
    for (Sample sample : profile.getSamplesList()) {
      StringJoiner stack = new StringJoiner(";");
      for (int attribute : sample.getAttributeIndicesList()) {
        var entry = tables.getAttributeTable(attribute);
        if (tables.getStringTable(entry.getKeyStrindex()).equals("thread.id")) {
          stack.add(Long.toString(entry.getValue().getIntValue()));
        }
      }
      for (int index : tables.getStackTable(sample.getStackIndex()).getLocationIndicesList()) {
        Location location = tables.getLocationTable(index);
        for (Line line : location.getLinesList()) {
          var function = tables.getFunctionTable(line.getFunctionIndex());
          String module =
              tables.getStringTable(
                  tables.getMappingTable(location.getMappingIndex()).getFilenameStrindex());
          stack.add(
              tables.getStringTable(function.getNameStrindex())
                  + "@"
                  + line.getLine()
                  + "@"
                  + module);
        }
      }
      sums.merge(stack.toString(), sample.getValues(0), Long::sum);
    }
    return sums;
  }

  private static Map<String, Long> sums(Profile profile, int type) {
    Map<String, Long> sums = new HashMap<>();
    for (int row = 0; row < profile.rows(); row++) {
      StringJoiner stack = new StringJoiner(";");
      stack.add(Integer.toString(profile.thread(row).tid()));
      List<Frame> frames = profile.stacks().frames();
      int[] ids = profile.stacks().frameIds(profile.stack(row));
      for (int i = 0; i < ids.length; i++) {
        int outer = i;
        while (outer < ids.length - 1 && frames.get(ids[outer]).inlined()) {
          outer++;
        }
        Frame frame = frames.get(ids[i]);
        stack.add(frame.name() + "@" + frame.line() + "@" + frames.get(ids[outer]).module());
      }
      sums.merge(stack.toString(), profile.value(row, type), Long::sum);
    }
    return sums;
  }
}
