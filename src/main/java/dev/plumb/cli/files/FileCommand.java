package dev.plumb.cli.files;

import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.cli.text.SafeText;
import dev.plumb.export.Formats;
import dev.plumb.export.file.OutputException;
import dev.plumb.export.file.Reading;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What commands on files share: reading any format, and failures as one line. */
public abstract class FileCommand implements Callable<Integer> {
  public static final int FINE = 0;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Override
  public final Integer call() {
    try {
      return run();
    } catch (FormatException | OutputException e) {
      return failed(e.getMessage());
    } catch (AccessDeniedException e) {
      return failed(e.getFile() + ": permission denied");
    } catch (IOException e) {
      return failed(String.valueOf(e.getMessage()));
    } finally {
      out().flush();
      err().flush();
    }
  }

  protected abstract int run() throws IOException;

  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  protected final int failed(String message) {
    err().println("plumb: " + SafeText.lines(message));
    return ExitCode.FAILED;
  }

  protected final int wrongUsage(String message) {
    err().println("plumb: " + SafeText.lines(message));
    return ExitCode.WRONG_USAGE;
  }

  /** Reads a file, or standard input for {@code -}; reports what is missing of it. */
  protected final Recording read(String file) throws IOException {
    Reading reading = file.equals("-") ? Formats.read(System.in) : Formats.read(Path.of(file));
    for (String warning : reading.warnings()) {
      err().println("plumb: " + file + ": " + SafeText.line(warning));
    }
    return reading.recording();
  }
}
