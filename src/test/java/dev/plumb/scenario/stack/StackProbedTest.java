package dev.plumb.scenario.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Segment;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.scenario.Orphan;
import dev.plumb.testing.Fixtures;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A probe of a function's return replaces the return address; stacks go on behind it. */
@RequiresRoot
@Timeout(60)
class StackProbedTest {
  /** Waits in functions that are probed when told so; two callers have the same frame. */
  private static final String PROGRAM =
      """
      #include <stdio.h>
      #include <unistd.h>
      static volatile int sink;
      static char line[16];
      __attribute__((noinline)) void innermost(void) {
        puts("waiting");
        fflush(stdout);
        fgets(line, sizeof line, stdin);
        sink++;
      }
      __attribute__((noinline)) void probed_again(int n) { if (n) probed_again(n - 1); else innermost(); sink++; }
      __attribute__((noinline)) void between(void) { probed_again(2); sink++; }
      __attribute__((noinline)) void probed(void) { between(); sink++; }
      __attribute__((noinline)) void first(void) { probed(); sink++; }
      __attribute__((noinline)) void second(void) { probed(); sink++; }
      int main(void) {
        puts("ready");
        fflush(stdout);
        fgets(line, sizeof line, stdin);
        first();
        second();
        puts("done");
        fflush(stdout);
        return 0;
      }
      """;

  private static final String CHAIN =
      "probed;between;probed_again;probed_again;probed_again;innermost";

  @Test
  void goesOnBehindTheProbesAddress() throws Exception {
    Path program =
        Fixtures.gcc(
            "probed-returns",
            PROGRAM,
            "-O1",
            "-fomit-frame-pointer",
            "-fno-optimize-sibling-calls");
    List<PerfEvent> probes = new ArrayList<>();
    try (Orphan orphan = Orphan.start(program)) {
      assertThat(orphan.line()).isEqualTo("ready");
      for (String function : List.of("probed", "probed_again")) {
        PerfEventAttr attr =
            PerfEventAttr.uprobe(program.toString(), fileOffset(program, function), true, 0);
        PerfEvent probe = PerfEvent.open(attr, orphan.pid(), PerfEvent.ANY_CPU);
        probes.add(probe);
        probe.enable();
      }
      for (String caller : List.of("first", "second")) {
        orphan.say("go");
        assertThat(orphan.line()).isEqualTo("waiting");
        StackJson.Thread thread = StackJson.take(orphan.pid()).threads().get(orphan.pid());
        assertThat(thread.problem()).isEmpty();
        assertThat(String.join(";", thread.of("probed-returns")))
            .matches("(_start;)?main;" + caller + ";" + CHAIN);
      }
      orphan.say("go");
      assertThat(orphan.line()).isEqualTo("done");
    } finally {
      probes.forEach(PerfEvent::close);
    }
  }

  private static long fileOffset(Path program, String function) throws Exception {
    String symbol =
        Fixtures.run("nm", program.toString())
            .lines()
            .filter(line -> line.endsWith(" T " + function))
            .findFirst()
            .orElseThrow();
    long elfAddress = Long.parseLong(symbol.substring(0, 16), 16);
    try (ElfFile elf = ElfFile.open(program)) {
      Segment code =
          elf.segments().stream()
              .filter(s -> s.type() == Segment.PT_LOAD && s.executable())
              .findFirst()
              .orElseThrow();
      return elfAddress - code.elfAddress() + code.fileOffset();
    }
  }
}
