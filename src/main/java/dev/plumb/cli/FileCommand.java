package dev.plumb.cli;

import dev.plumb.export.FormatException;
import dev.plumb.export.Formats;
import dev.plumb.export.OutputException;
import dev.plumb.export.Reading;
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
abstract class FileCommand implements Callable<Integer> {
  static final int FINE = 0;
  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;

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

  abstract int run() throws IOException;

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  final int failed(String message) {
    err().println("plumb: " + SafeText.lines(message));
    return FAILED;
  }

  final int wrongUsage(String message) {
    err().println("plumb: " + SafeText.lines(message));
    return WRONG_USAGE;
  }

  /** Reads a file, or standard input for {@code -}; what is missing of it is told. */
  final Recording read(String file) throws IOException {
    Reading reading = file.equals("-") ? Formats.read(System.in) : Formats.read(Path.of(file));
    for (String warning : reading.warnings()) {
      err().println("plumb: " + file + ": " + SafeText.line(warning));
    }
    return reading.recording();
  }
}
