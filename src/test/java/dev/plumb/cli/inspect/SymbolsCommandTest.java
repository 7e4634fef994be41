package dev.plumb.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of a program, as a user asks for it. */
class SymbolsCommandTest {
  @TempDir Path folder;

  @Test
  void describesAProgram() {
    Path program = Programs.compiled("spinner");
    PlumbCommand.Result result = PlumbCommand.run("symbols", program.toString());
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("file          " + program)
        .containsPattern("build id +[0-9a-f]{40}")
        .contains("debug info    in the file")
        .containsPattern("unwind table +\\d\\d+ rows of \\d+ functions");
  }

  @Test
  void saysWhereDebugInformationIsLookedFor() {
    Path stripped = folder.resolve("stripped");
    Programs.run("strip", "-o", stripped.toString(), Programs.compiled("spinner").toString());
    PlumbCommand.Result result = PlumbCommand.run("symbols", stripped.toString());
    assertThat(result.out())
        .contains(".symtab none")
        .contains("none; looked for")
        .containsPattern("/usr/lib/debug/\\.build-id/[0-9a-f]{2}/[0-9a-f]{38}\\.debug");
  }

  @Test
  void namesAddresses() {
    Path program = Programs.compiled("spinner");
    String address = "";
    for (String line : Programs.run("nm", program.toString()).split("\n")) {
      address = line.endsWith(" spin_a") ? line.split(" ")[0] : address;
    }
    PlumbCommand.Result result =
        PlumbCommand.run("symbols", program.toString(), "0x" + address, "0x1");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out().lines().toList().get(1))
        .startsWith("  spin_a  ")
        .containsPattern("spinner\\.c:\\d+$");
    assertThat(result.out()).endsWith("0x1\n  not in the file\n");
  }

  @Test
  void wrongInput() {
    assertThat(PlumbCommand.run("symbols", "/no/such/file").code()).isEqualTo(ExitCode.FAILED);
    assertThat(PlumbCommand.run("symbols", "/no/such/file").err()).contains("no such file");
    assertThat(PlumbCommand.run("symbols", "/etc/passwd").err()).contains("not an ELF file");
    PlumbCommand.Result usage = PlumbCommand.run("symbols", "/bin/ls", "xyz");
    assertThat(usage.code()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(usage.err()).contains("'xyz'");
  }

  /** What follows the option is its server only if it looks like one. */
  @Test
  void serversToAsk() {
    PlumbCommand.Result none = PlumbCommand.run("symbols", "--debuginfod", "/bin/ls");
    assertThat(none.code()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(none.err()).contains("use --debuginfod=https://");
    PlumbCommand.Result wrong = PlumbCommand.run("symbols", "--debuginfod=ftp://a", "/bin/ls");
    assertThat(wrong.code()).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(wrong.err()).contains("ftp://a: not a URL");
    Path stripped = folder.resolve("stripped");
    Programs.run("strip", "-o", stripped.toString(), Programs.compiled("spinner").toString());
    for (String server : new String[] {"--debuginfod=http://127.0.0.1:1", "--debuginfod"}) {
      String[] args =
          server.contains("=")
              ? new String[] {"symbols", server, stripped.toString()}
              : new String[] {"symbols", server, "http://127.0.0.1:1", stripped.toString()};
      PlumbCommand.Result asked = PlumbCommand.run(args);
      assertThat(asked.code()).as(asked.err()).isZero();
      assertThat(asked.out()).contains("http://127.0.0.1:1: Connection refused");
    }
  }
}
