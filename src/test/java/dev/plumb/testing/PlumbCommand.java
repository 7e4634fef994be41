package dev.plumb.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.Plumb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs Plumb's commands as a user would, in this process. */
public final class PlumbCommand {
  /** What a command left. */
  public record Result(int code, String out, String err) {}

  private PlumbCommand() {}

  public static synchronized Result run(String... args) {
    PrintStream oldOut = System.out;
    PrintStream oldErr = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int code = Plumb.run(args);
      return new Result(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(oldOut);
      System.setErr(oldErr);
    }
  }

  /** {@code plumb record …} into a folded file. */
  public static Folded record(Path folder, String... args) {
    Path file = folder.resolve("out.folded");
    List<String> all = new ArrayList<>(List.of("record", "-o", file.toString()));
    all.addAll(Arrays.asList(args));
    Result result = run(all.toArray(String[]::new));
    if (result.code() != 0) {
      throw new AssertionError(all + " ended with " + result.code() + ":\n" + result.err());
    }
    return Folded.read(file);
  }

  /** A failure is one line, which says whose it is and contains {@code text}. */
  public static void assertOneLine(String err, String text) {
    assertThat(err).startsWith("plumb: ").contains(text);
    assertThat(err.lines()).as(err).hasSize(1);
  }
}
