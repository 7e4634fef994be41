package dev.plumb.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.Summary;
import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.Recording;
import dev.plumb.testing.TestRecordings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class FileCommandsTest {
  private static final String FOLDED =
      """
      java;main;work;read_[k] 60
      java;main;work;work;work 25
      java;main;idle 10
      sh;main 5
      """;

  @TempDir Path folder;

  /** What a command answered. */
  private record Answer(int code, String out, String err) {}

  private Answer run(Object command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Answer(code, out.toString(), err.toString());
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private String varied(String name) {
    try (Recording recording = TestRecordings.varied()) {
      Path file = folder.resolve(name);
      return Formats.save(recording, file, WriteOptions.DEFAULT).getFirst().toString();
    }
  }

  @Test
  void reportShowsFunctions() throws IOException {
    Answer answer = run(new ReportCommand(), file("x.folded", FOLDED));
    assertThat(answer.err()).isEmpty();
    assertThat(answer.code()).isZero();
    assertThat(answer.out())
        .isEqualTo(
            """
            samples  100 samples
            quality unknown: the file does not record it

                  SELF  % OF 100 samples        TOTAL  % OF 100 samples  FUNCTION  MODULE
            60 samples           60.00 %   60 samples           60.00 %  read
            25 samples           25.00 %   85 samples           85.00 %  work
            10 samples           10.00 %   10 samples           10.00 %  idle
             5 samples            5.00 %  100 samples          100.00 %  main
            """);
  }

  @Test
  void reportSortsGroupsAndLimits() throws IOException {
    String file = file("x.folded", FOLDED);
    assertThat(run(new ReportCommand(), file, "--sort", "total", "-n", "1").out())
        .contains("main")
        .doesNotContain("idle")
        .contains("… and 3 more (-n)");
    assertThat(run(new ReportCommand(), file, "--by", "process").out())
        .contains("95 samples           95.00 %  java (0)");
    Answer wrong = run(new ReportCommand(), file, "--by", "colour");
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("use function, module, process or thread");
    assertThat(run(new ReportCommand(), file, "--sort", "name").code()).isEqualTo(2);
    assertThat(run(new ReportCommand()).code()).isEqualTo(2);
  }

  @Test
  void reportDrawsATree() throws IOException {
    Answer answer = run(new ReportCommand(), file("x.folded", FOLDED), "--tree", "--min", "8");
    assertThat(answer.out())
        .endsWith(
            """
               TOTAL      SELF  FRAME (shares of 100 samples)
             100.00 %            - all
              95.00 %              java
              95.00 %              main
              85.00 %              - work
              60.00 %   60.00 %      - read [kernel]
              25.00 %   25.00 %      - work × 2
              10.00 %   10.00 %    - idle
            """);
  }

  @Test
  void reportWritesFolded() throws IOException {
    assertThat(run(new ReportCommand(), file("x.folded", FOLDED), "--folded").out())
        .isEqualTo(FOLDED);
  }

  @Test
  void reportTellsTheQualityAndTheOtherModes() {
    Answer answer = run(new ReportCommand(), varied("v.plumb"));
    assertThat(answer.out())
        .startsWith("cpu  40.4 s in 4 000 samples, 20.0 s on box-ä\n")
        .contains("\n4 000 samples · 12 lost (0.30 %: ring buffer full 12)")
        .contains(" · 31 incomplete stacks (0.78 %: no frame pointer 31)")
        .contains(" · 9 unnamed (0.23 %: libgrüße.so 7, a.out 2) (98.7 of 99 Hz held)\n")
        .contains("also in this file: offcpu (--mode)");
    assertThat(run(new ReportCommand(), varied("v.plumb"), "--mode", "mem").err())
        .isEqualTo("plumb: no mode 'mem' in this recording; it holds: cpu, offcpu\n");
  }

  @Test
  void namesOfAHostileMachineAreHarmless() throws IOException {
    String file = file("x.folded", "a;\u001b[31mred\u0007 3\n" + "b;" + "n".repeat(5000) + " 1\n");
    String out = run(new ReportCommand(), file).out();
    assertThat(out).doesNotContain("\u001b").doesNotContain("\u0007");
    assertThat(out.lines().mapToInt(String::length).max().orElse(0)).isLessThan(200);
  }

  @Test
  void theSummaryFitsOneScreen() {
    try (Recording recording = TestRecordings.varied()) {
      StringWriter out = new StringWriter();
      new Summary(new PrintWriter(out), Colours.NONE, 10).print(recording);
      assertThat(out.toString())
          .contains("cpu  40.4 s in 4 000 samples")
          .contains("offcpu  ")
          .contains("FUNCTION, hottest by self")
          .contains("java (200)")
          .doesNotContain("\u001b");
      StringWriter coloured = new StringWriter();
      new Summary(new PrintWriter(coloured), Colours.always(), 10).print(recording);
      assertThat(coloured.toString().replaceAll("\u001b\\[\\d+m", "")).isEqualTo(out.toString());
    }
  }

  @Test
  void convertGoesByTheEndings() throws IOException {
    String in = file("x.txt", FOLDED);
    for (String name : List.of("a.plumb", "a.pb.gz", "a.html", "a.svg", "a.perf", "a.txt")) {
      Path out = folder.resolve(name);
      Answer answer = run(new ConvertCommand(), in, out.toString());
      assertThat(answer.err()).isEmpty();
      assertThat(answer.out()).isEqualTo("wrote " + out + "\n");
      assertThat(out).isNotEmptyFile();
    }
    Path back = folder.resolve("back.folded");
    run(new ConvertCommand(), folder.resolve("a.pb.gz").toString(), back.toString());
    assertThat(back).hasContent(FOLDED);
  }

  @Test
  void convertTellsWhatIsWrong() throws IOException {
    String in = file("x.folded", FOLDED);
    Answer unknown = run(new ConvertCommand(), in, "x.docx");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("cannot tell the format").contains(".pb.gz");
    assertThat(run(new ConvertCommand(), in, "-").code()).isEqualTo(2);
    assertThat(run(new ConvertCommand(), "missing.plumb", "x.html").err())
        .isEqualTo("plumb: no file missing.plumb\n");
    Answer text = run(new ConvertCommand(), file("y", "no stacks here"), "x.html");
    assertThat(text.code()).isEqualTo(1);
    assertThat(text.err().lines()).hasSize(1);
  }

  @Test
  void convertOfSeveralModesWritesAFileEach() {
    Path out = folder.resolve("z.folded");
    assertThat(run(new ConvertCommand(), varied("v.plumb"), out.toString()).out().lines())
        .containsExactly(
            "wrote " + folder.resolve("z.cpu.folded"),
            "wrote " + folder.resolve("z.offcpu.folded"));
  }

  @Test
  void aDamagedFileIsReadWithAWarning() throws IOException {
    String file = varied("v.plumb");
    byte[] bytes = Files.readAllBytes(Path.of(file));
    Files.write(Path.of(file), Arrays.copyOf(bytes, bytes.length - 30));
    Answer answer = run(new ReportCommand(), file);
    assertThat(answer.code()).isZero();
    assertThat(answer.err()).contains("cut short").contains("the rest is missing");
  }

  @Test
  void diffShowsTheLargestChanges() throws IOException {
    String a = file("a.folded", FOLDED);
    String b = file("b.folded", FOLDED.replace("read_[k] 60", "read_[k] 160"));
    Answer answer = run(new DiffCommand(), a, b, "-n", "1");
    assertThat(answer.err()).isEmpty();
    assertThat(answer.out())
        .isEqualTo(
            """
            samples  a.folded 100 samples → b.folded 200 samples

                 SELF        TOTAL  IN a.folded  IN b.folded  FUNCTION  MODULE
            +20.00 pt    +20.00 pt      60.00 %      80.00 %  read
            … and 3 more (-n)
            """);
    assertThat(run(new DiffCommand(), a, b, "--absolute").out())
        .contains("+100 samples")
        .contains("60 samples")
        .doesNotContain("idle");
    assertThat(run(new DiffCommand(), a, a).out()).contains("no difference");
  }

  @Test
  void diffWritesFoldedAndHtml() throws IOException {
    String a = file("a.folded", FOLDED);
    String b = file("b.folded", FOLDED.replace("read_[k] 60", "read_[k] 160"));
    Path folded = folder.resolve("d.folded");
    run(new DiffCommand(), a, b, "-o", folded.toString());
    assertThat(folded)
        .hasContent(
            """
            java;main;work;read_[k] 120 160
            java;main;work;work;work 50 25
            java;main;idle 20 10
            sh;main 10 5
            """);
    run(new DiffCommand(), a, b, "--absolute", "-o", folded.toString());
    assertThat(folded).content().startsWith("java;main;work;read_[k] 60 160\n");
    Path html = folder.resolve("d.html");
    assertThat(run(new DiffCommand(), a, b, "-o", html.toString()).code()).isZero();
    assertThat(html).content().contains("\"compared\":[\"a.folded\",\"b.folded\"]");
    assertThat(run(new DiffCommand(), a, b, "-o", "x.svg").code()).isEqualTo(2);
  }

  @Test
  void helpNamesExitCodesAndExamples() {
    for (Object command : List.of(new ReportCommand(), new ConvertCommand(), new DiffCommand())) {
      Answer answer = run(command, "--help");
      assertThat(answer.code()).isZero();
      assertThat(answer.out()).contains("Exit codes:").contains("Examples:").contains("plumb ");
    }
  }
}
