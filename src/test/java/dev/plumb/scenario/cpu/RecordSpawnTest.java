package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that start others by posix_spawn: the parent waits in clone behind its system call,
 * which glibc does not describe, and the child begins there on a stack of its own.
 */
@RequiresRoot
class RecordSpawnTest {
  @TempDir Path folder;

  @Test
  void parentsAndChildrenAreWhole() throws IOException {
    Path file = folder.resolve("out.plumb");
    String storm = Programs.compiled("spawnstorm").toString();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", "cpu", "offcpu", "-F", "499", "-o", file.toString(), "--", storm, "200", "3");
    assertThat(result.code()).as(result.err()).isZero();
    try (InputStream in = Files.newInputStream(file);
        Recording recording = new PlumbReader().read(in).recording()) {
      Profile waits =
          recording.profiles().stream().filter(p -> p.mode().equals("offcpu")).findFirst().get();
      assertThat(parents(waits)).as("waits for a child to exec").isGreaterThan(400);
      for (Profile profile : recording.profiles()) {
        Map<String, Long> why = profile.quality().truncated();
        long cut = why.values().stream().mapToLong(Long::longValue).sum();
        assertThat(cut)
            .as("%s %s", profile.mode(), why)
            .isLessThan(profile.quality().samples() / 50);
      }
    }
  }

  /** Waits within clone that have a caller up to main. */
  private static long parents(Profile profile) {
    int count = profile.countType().orElseThrow();
    long found = 0;
    for (int row = 0; row < profile.rows(); row++) {
      int stack = profile.stack(row);
      boolean isMains = has(profile, stack, "clone3?|__clone3?") && has(profile, stack, "main");
      found +=
          isMains && profile.stacks().end(stack) == StackEnd.WHOLE ? profile.value(row, count) : 0;
    }
    return found;
  }

  private static boolean has(Profile profile, int stack, String pattern) {
    return Arrays.stream(profile.stacks().frameIds(stack))
        .mapToObj(profile.stacks().frames()::get)
        .map(Frame::name)
        .anyMatch(name -> name.matches(pattern));
  }
}
