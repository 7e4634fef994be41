package dev.plumb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.cli.text.Version;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be understood or is not there: one line that says what to do, and the exit code. */
class UsageTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          1 | -p 99999999          | no process 99999999; `plumb list processes` lists them
          1 | -p 0                 | no process 0
          1 | -t 99999999          | no thread 99999999; `ls /proc/PID/task`
          1 | --pidns 99999999     | no process 99999999
          1 | -g /no/such/cgroup   | no cgroup /no/such/cgroup; use a folder below /sys/fs/cgroup
          1 | -o /no/such/x.folded | cannot write /no/such/x.folded: the folder does not exist; create it first
          1 | -o /tmp              | /tmp is a folder: name a file in it
          2 | bogus                | unknown mode 'bogus'; use cpu, offcpu, wall
          2 | -F 0                 | -F 0: the sampling frequency must be at least 1 Hz
          2 | -F -5                | -F -5: the sampling frequency must be at least 1
          2 | -F x                 | 'x' is not an int; see `plumb record --help`
          2 | -F 100000000         | this kernel allows at most
          2 | -d abc               | 'abc' is not a duration; use 10, 1.5s, 100ms
          2 | -d 0                 | -d 0: the duration must be positive
          2 | -d                   | option '-d' (SECONDS); see `plumb record --help`
          2 | --no-such-option     | unknown option '--no-such-option'; see `plumb record --help`
          2 | --dept 5             | unknown option '--dept'; did you mean --depth? see `plumb record --help`
          2 | -Z                   | unknown option '-Z'
          2 | --depth 0            | stack depth 0: use 1 to 1024
          2 | --depth 1025         | stack depth 1025: use 1 to 1024
          2 | offcpu --state SQ    | unknown state 'Q'; use the letters S, D, T, I, R
          2 | --state Q            | unknown state 'Q'
          2 | -o x.unknown         | by its ending; use one of
          2 | -o - --format bogus  | no format 'bogus'; there are
          2 | --value nothing      | --value nothing: the values of mode cpu are samples, cpu
          2 | offcpu --value cpu   | --value cpu: the values of mode offcpu are waits, time
          2 | cpu wall -o -        | -o -: this format holds a single mode; use -o FILE or --format plumb
          2 | --                   | no command after --; use plumb record -- COMMAND
          2 | --label x            | KEY=VALUE
          """)
  void aRecordingThatCannotBegin(int code, String args, String text) {
    String[] words = ("record " + args).split(" ");
    PlumbCommand.Result result = PlumbCommand.run(words);
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    PlumbCommand.assertOneLine(result.err(), text);
    assertThat(result.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          recrod          | did you mean record? see `plumb --help`
          rec             | did you mean record?
          docter          | did you mean doctor?
          xyzzy           | unknown command 'xyzzy'; see `plumb --help`
          recrod --help   | did you mean record?
          list evnts      | did you mean events? see `plumb list --help`
          list            | Missing required subcommand; see `plumb list --help`
          list events a b | unexpected argument 'b'; see `plumb list events --help`
          help recrod     | 'recrod'; see `plumb --help`
          --bogus         | unknown option '--bogus'
          """)
  void aCommandThatThereIsNot(String args, String text) {
    PlumbCommand.Result result = PlumbCommand.run(args.split(" "));
    assertThat(result.code()).isEqualTo(ExitCode.WRONG_USAGE);
    PlumbCommand.assertOneLine(result.err(), text);
  }

  @Test
  void aFileThatCannotBeListed() {
    PlumbCommand.Result missing = PlumbCommand.run("list", "probes", "/no/such/file");
    assertThat(missing.code()).isEqualTo(ExitCode.WRONG_USAGE);
    PlumbCommand.assertOneLine(missing.err(), "/no/such/file");
    PlumbCommand.Result text = PlumbCommand.run("list", "probes", "/etc/passwd");
    assertThat(text.code()).isEqualTo(ExitCode.FAILED);
    PlumbCommand.assertOneLine(text.err(), "not an ELF file");
  }

  @Test
  @RequiresRoot
  void aCommandThatCannotBeRun() {
    String out = folder.resolve("x.folded").toString();
    PlumbCommand.Result missing =
        PlumbCommand.run("record", "-o", out, "--", "no-such-command", "-x");
    assertThat(missing.code()).isEqualTo(127);
    PlumbCommand.assertOneLine(missing.err(), "no-such-command: command not found; is it on PATH");
    PlumbCommand.Result plain = PlumbCommand.run("record", "-o", out, "--", "/etc/passwd");
    assertThat(plain.code()).isEqualTo(126);
    PlumbCommand.assertOneLine(plain.err(), "/etc/passwd: permission denied; is it a program");
    assertThat(Path.of(out)).doesNotExist();
  }

  @Test
  void verboseShowsWhereItComesFrom() {
    PlumbCommand.Result quiet = PlumbCommand.run("record", "-p", "99999999");
    assertThat(quiet.err()).doesNotContain("\tat ");
    PlumbCommand.Result verbose = PlumbCommand.run("record", "-p", "99999999", "--verbose");
    assertThat(verbose.err()).contains("TargetException").contains("\tat dev.plumb.");
    assertThat(verbose.err().lines().reduce((a, b) -> b).orElseThrow())
        .startsWith("plumb: no process 99999999");
    assertThat(verbose.code()).isEqualTo(quiet.code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "record", "stack", "list", "doctor"})
  void helpHasExamplesAndFitsAScreen(String command) {
    String[] args = command.isEmpty() ? new String[] {"--help"} : new String[] {command, "--help"};
    PlumbCommand.Result result = PlumbCommand.run(args);
    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    List<String> lines = result.out().lines().toList();
    assertThat(lines.getFirst()).startsWith(("Usage: plumb " + command).strip());
    assertThat(lines).contains("Examples:");
    assertThat(lines).anyMatch(line -> line.startsWith("  plumb " + command));
    assertThat(lines).allMatch(line -> line.length() <= 100, "at most 100 columns");
    assertThat(result.out()).as("nothing that was meant to be filled in").doesNotContain("%n");
  }

  @Test
  void helpShowsOptionsAsTheyAreWritten() {
    assertThat(PlumbCommand.run("record", "--help").out())
        .containsPattern("-F +HZ +Sampling")
        .containsPattern("--label K=V +Label")
        .contains("127   the command was not found");
  }

  @Test
  void withoutACommandItShowsHelp() {
    PlumbCommand.Result result = PlumbCommand.run();
    assertThat(result.code()).isZero();
    assertThat(result.out()).startsWith("Usage: plumb");
    assertThat(result.out()).doesNotContain("warm-up").doesNotContain("generate-completion ");
    assertThat(PlumbCommand.run("--version").out()).isEqualTo("plumb " + Version.TEXT + "\n");
  }
}
