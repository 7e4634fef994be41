package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.scenario.Orphan;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import dev.plumb.unwind.EuStack;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recorded stacks against those of elfutils: a program spins at a place, it is recorded, then
 * stopped there. The callers are the same, address by address.
 */
@RequiresRoot
@Timeout(60)
class RecordOracleTest {
  private static final int SIGSTOP = 19;
  private static final int SIGCONT = 18;
  private static final int TRIES = 20;

  @TempDir Path folder;

  static Stream<Arguments> programs() {
    return Stream.of(
            List.of("oracle-dynamic"),
            List.of("oracle-stripped", "-s"),
            List.of("oracle-static", "-static"))
        .flatMap(
            program ->
                Stream.of("deep", "signal", "plt", "jump", "context", "vdso", "syscall")
                    .map(kind -> Arguments.of(program, kind)));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void sameCallers(List<String> program, String kind) throws Exception {
    String[] flags = program.stream().skip(1).toArray(String[]::new);
    Path binary = Programs.withoutFramePointers(program.getFirst(), flags);
    try (Orphan orphan = Orphan.start(binary, kind, "60")) {
      Thread.sleep(kind.equals("signal") ? 500 : 50);
      List<Long> recorded = callers(record(orphan.pid()));
      assertThat(recorded).hasSizeGreaterThan(kind.equals("context") ? 1 : 3);
      List<Long> theirs = List.of();
      for (int i = 0; i < TRIES && !endsWith(theirs, recorded); i++) {
        Thread.sleep(7);
        ProcessCalls.tryKill(orphan.pid(), SIGSTOP);
        Orphan.awaitState(orphan.pid(), 'T');
        theirs = elfAddresses(orphan.pid());
        ProcessCalls.tryKill(orphan.pid(), SIGCONT);
      }
      // What was recorded of a caller is its call, just before where it is returned to.
      assertThat(theirs.subList(Math.max(0, theirs.size() - recorded.size()), theirs.size()))
          .isEqualTo(recorded);
    }
  }

  private Path record(int pid) {
    Path file = folder.resolve("spinning.plumb");
    PlumbCommand.Result result =
        PlumbCommand.run("record", "-F", "999", "-d", "0.3", "-p", "" + pid, "-o", file.toString());
    assertThat(result.code()).as(result.err()).isZero();
    return file;
  }

  private static boolean endsWith(List<Long> list, List<Long> end) {
    return list.size() >= end.size()
        && list.subList(list.size() - end.size(), list.size()).equals(end);
  }

  /** Of the most frequent whole stack, the innermost first, without the leaf. */
  private static List<Long> callers(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        Recording recording = new PlumbReader().read(in).recording()) {
      Profile profile = recording.main();
      int best = -1;
      for (int row = 0; row < profile.rows(); row++) {
        boolean whole = profile.stacks().end(profile.stack(row)) == StackEnd.WHOLE;
        if (whole && (best < 0 || profile.value(row, 0) > profile.value(best, 0))) {
          best = row;
        }
      }
      List<Long> addresses = new ArrayList<>();
      for (int id : profile.stacks().frameIds(profile.stack(best))) {
        Frame frame = profile.stacks().frames().get(id);
        if (frame.kind() != FrameKind.KERNEL && !frame.inlined()) {
          addresses.add(frame.elfAddress());
        }
      }
      return addresses.subList(1, addresses.size());
    }
  }

  private static List<Long> elfAddresses(int pid) throws IOException {
    List<String> maps = Files.readAllLines(Path.of("/proc/" + pid + "/maps"));
    List<Long> addresses = new ArrayList<>();
    boolean signal = false;
    for (String hex : EuStack.of(pid).get(pid)) {
      long address = Long.parseUnsignedLong(hex, 16);
      long elfAddress = elfAddress(maps, address);
      addresses.add(signal || addresses.isEmpty() ? elfAddress : elfAddress - 1);
      signal = isSignalReturn(pid, address);
    }
    return addresses;
  }

  /** mov $15, %rax; syscall: below it is where the signal interrupted, not a call. */
  private static boolean isSignalReturn(int pid, long address) throws IOException {
    try (var memory = new RandomAccessFile("/proc/" + pid + "/mem", "r")) {
      byte[] code = new byte[9];
      memory.seek(address);
      return memory.read(code) == 9
          && Arrays.equals(code, new byte[] {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0, 15, 5});
    } catch (IOException e) {
      return false; // the vdso's
    }
  }

  private static long elfAddress(List<String> maps, long address) {
    for (String line : maps) {
      String[] parts = line.split(" +");
      String[] range = parts[0].split("-");
      long start = Long.parseUnsignedLong(range[0], 16);
      if (address >= start && address < Long.parseUnsignedLong(range[1], 16)) {
        long offset = address - start + Long.parseUnsignedLong(parts[2], 16);
        if (parts.length < 6 || !parts[5].startsWith("/")) {
          return address - start; // the vdso: its file starts at 0
        }
        try (ElfFile elf = ElfFile.open(Path.of(parts[5]))) {
          return elf.elfAddressAt(offset).orElseThrow();
        }
      }
    }
    throw new AssertionError("nothing is mapped at " + Long.toHexString(address));
  }
}
