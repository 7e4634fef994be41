package dev.plumb.export.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.RoundTrip;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StackAnalyzerWriterTest {
  @Test
  void theBlockIsByteForByte() throws IOException {
    StackTable.Builder stacks = new StackTable.Builder();
    int download = stacks.frame(frame("Global_Download", FrameKind.NATIVE, 0x631));
    int socket = stacks.frame(frame("__socket", FrameKind.NATIVE, 0xb));
    int entry = stacks.frame(frame("entry_SYSCALL_64_after_hwframe", FrameKind.KERNEL, 0x67));
    int create = stacks.frame(frame("__sock_create", FrameKind.KERNEL, 0x133));
    int raw =
        stacks.frame(
            new Frame("[unknown in x]", FrameKind.NATIVE, false, false, "x", "", 0x40, 0, "", 0));
    Profile.Builder rows = builder();
    int none = rows.labels(Labels.NONE);
    int vmtools = rows.thread(thread(720, 720, "vmtoolsd", "/system.slice/open-vm-tools.service"));
    int exporter = rows.thread(thread(3046, 3149, "node_exporter", "/docker-bb4a.scope"));
    int both = stacks.stack(new int[] {create, entry, socket, download}, 4, StackEnd.WHOLE);
    int user = stacks.stack(new int[] {raw}, 1, StackEnd.WHOLE);
    int kernel = stacks.stack(new int[] {create, entry}, 2, StackEnd.WHOLE);
    rows.add(rows.row(both, vmtools, none), 0, 1);
    rows.add(rows.row(user, exporter, none), 0, 4);
    rows.add(rows.row(kernel, exporter, none), 0, 1);
    Profile profile = rows.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN);
    Recording recording =
        new Recording(1_715_881_056_000_000_000L, 5_000_000_000L, List.of(profile), Map.of());
    assertThat(new String(RoundTrip.bytes(recording, "txt", RoundTrip.OPTIONS), UTF_8))
        .isEqualTo(
            """
            time:20240516_17_37_41
            counts:
            pid\tusid\tksid\tOnCPUTime/20408163nanoseconds
            3149\t3\t-14\t4
            720\t1\t2\t1
            3149\t-14\t2\t1
            traces:
            sid\ttrace
            1\tGlobal_Download+0x631;__socket+0xb;
            2\tentry_SYSCALL_64_after_hwframe+0x67;__sock_create+0x133;
            3\t0x40;
            info:
            pid\tNSpid\tcomm\ttgid\tcgroup
            720\t720\tvmtoolsd\t720\topen-vm-tools.service
            3149\t3046\tnode_exporter\t3046\tdocker-bb4a.scope
            OK
            """);
  }

  private static Profile.Builder builder() {
    return new Profile.Builder(
        "cpu",
        "process_cpu",
        List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
        1,
        new ValueType("cpu", "nanoseconds"),
        20_408_163);
  }

  private static ThreadInfo thread(int pid, int tid, String comm, String cgroup) {
    return new ThreadInfo(pid, tid, pid, 0, comm, comm, cgroup);
  }

  private static Frame frame(String name, FrameKind kind, long offset) {
    return new Frame(name, kind, false, true, "", "", 0, offset, "", 0);
  }
}
