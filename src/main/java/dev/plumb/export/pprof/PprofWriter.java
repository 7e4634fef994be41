package dev.plumb.export.pprof;

import static dev.plumb.export.pprof.Pprof.*;

import dev.plumb.export.file.RecordingWriter;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.export.wire.ProtoOut;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * Writes pprof, a gzipped protobuf message: one profile with all its value types.
 *
 * <p>Samples come first and refer to locations by id. The tables follow, in the order of first use,
 * so that only the tables are kept in memory.
 */
public final class PprofWriter implements RecordingWriter {
  @Override
  public void write(Recording recording, OutputStream out, WriteOptions options)
      throws IOException {
    Profile profile = options.profile(recording);
    GZIPOutputStream gzip = new FastGzip(out);
    OutputStream buffered = new BufferedOutputStream(gzip, 64 * 1024);
    new Run(recording, profile, options.type(profile), buffered).write();
    buffered.flush();
    gzip.finish();
    out.flush();
  }

  /** The default level takes four times as long to save a tenth of the size. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out, 64 * 1024);
      def.setLevel(2);
    }
  }

  /** One file. */
  private static final class Run {
    private final Recording recording;
    private final Profile profile;
    private final int mainType;
    private final OutputStream out;
    private final PprofTables tables;
    private final ProtoOut message = new ProtoOut();
    private final ProtoOut inner = new ProtoOut();
    private final ProtoOut packed = new ProtoOut();
    private final ProtoOut[] threadLabels;
    private final ProtoOut[] rowLabels;

    Run(Recording recording, Profile profile, int mainType, OutputStream out) {
      this.recording = recording;
      this.profile = profile;
      this.mainType = mainType;
      this.out = out;
      this.tables = new PprofTables(profile.stacks());
      this.threadLabels = new ProtoOut[profile.threads().size()];
      this.rowLabels = new ProtoOut[profile.labelSets().size()];
    }

    void write() throws IOException {
      for (ValueType type : profile.types()) {
        flush(message.message(SAMPLE_TYPE, valueType(type)));
      }
      for (int row = 0; row < profile.rows(); row++) {
        sample(row);
      }
      facts();
      tables.writeTo(out);
    }

    private void flush(ProtoOut content) throws IOException {
      content.writeTo(out);
      content.clear();
    }

    private ProtoOut valueType(ValueType type) {
      inner.clear();
      return inner
          .number(VALUE_TYPE_TYPE, tables.string(type.name()))
          .number(VALUE_TYPE_UNIT, tables.string(type.unit()));
    }

    private void sample(int row) throws IOException {
      int stack = profile.stack(row);
      packed.clear();
      tables.locations(stack, packed);
      inner.clear();
      inner.message(SAMPLE_LOCATION_ID, packed);
      packed.clear();
      for (int type = 0; type < profile.types().size(); type++) {
        packed.varint(profile.value(row, type));
      }
      inner.message(SAMPLE_VALUE, packed);
      int thread = profile.threadId(row);
      if (threadLabels[thread] == null) {
        threadLabels[thread] = labelsOf(profile.threads().get(thread));
      }
      int set = profile.labelsId(row);
      if (rowLabels[set] == null) {
        rowLabels[set] = labelsOf(profile.labelSets().get(set));
      }
      inner.append(threadLabels[thread]).append(rowLabels[set]);
      StackEnd end = profile.stacks().end(stack);
      if (end != StackEnd.WHOLE) {
        label(inner, LABEL_STACK_END, end.text());
      }
      flush(message.message(SAMPLE, inner));
    }

    private ProtoOut labelsOf(ThreadInfo thread) {
      ProtoOut labels = new ProtoOut();
      if (thread.pid() != 0) { // else whoever told of it knows no more than a name
        label(labels, LABEL_PID, thread.pid());
        label(labels, LABEL_TID, thread.tid());
        label(labels, LABEL_THREAD, thread.comm());
      }
      if (thread.innerPid() != thread.pid()) {
        label(labels, LABEL_INNER_PID, thread.innerPid());
      }
      if (!thread.processComm().isEmpty()) {
        label(labels, LABEL_COMM, thread.processComm());
      }
      if (!thread.cgroup().isEmpty()) {
        label(labels, LABEL_CGROUP, thread.cgroup());
      }
      return labels;
    }

    private ProtoOut labelsOf(Labels set) {
      ProtoOut labels = new ProtoOut();
      set.values().forEach((key, value) -> label(labels, key, value));
      return labels;
    }

    private void label(ProtoOut labels, String key, String value) {
      ProtoOut label =
          new ProtoOut()
              .number(LABEL_KEY, tables.string(key))
              .number(LABEL_STR, tables.string(value));
      labels.message(SAMPLE_LABEL, label);
    }

    private void label(ProtoOut labels, String key, long value) {
      ProtoOut label =
          new ProtoOut().number(LABEL_KEY, tables.string(key)).number(LABEL_NUM, value);
      labels.message(SAMPLE_LABEL, label);
    }

    private void facts() throws IOException {
      message.number(TIME_NANOS, recording.startNanos());
      message.number(DURATION_NANOS, recording.durationNanos());
      message.message(PERIOD_TYPE, valueType(profile.periodType()));
      message.number(PERIOD, profile.period());
      comments().forEach((key, value) -> comment(key + "=" + value));
      message.number(DEFAULT_SAMPLE_TYPE, tables.string(profile.types().get(mainType).name()));
      flush(message);
    }

    private void comment(String text) {
      message.number(COMMENT, tables.string(COMMENT_PREFIX + text));
    }

    private Map<String, String> comments() {
      Map<String, String> comments = new TreeMap<>();
      comments.put("mode", profile.mode());
      comments.put("name", profile.name());
      Quality quality = profile.quality();
      comments.put("samples", Long.toString(quality.samples()));
      comments.put("rate_asked", Double.toString(quality.rateAsked()));
      comments.put("rate_held", Double.toString(quality.rateHeld()));
      quality.lost().forEach((k, v) -> comments.put("lost." + k, v.toString()));
      quality.truncated().forEach((k, v) -> comments.put("truncated." + k, v.toString()));
      quality.unnamed().forEach((k, v) -> comments.put("unnamed." + k, v.toString()));
      recording.facts().forEach((k, v) -> comments.put("fact." + k, v));
      return comments;
    }
  }
}
