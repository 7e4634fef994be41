package dev.plumb.cli.options;

import dev.plumb.symbols.debugfile.Debuginfod;
import dev.plumb.symbols.debugfile.DebuginfodSettings;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Whether debug files are fetched from servers; the same in every command that symbolizes. */
public final class DebuginfodOptions {
  @Option(
      names = "--debuginfod",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "[URL]",
      hideParamSyntax = true,
      preprocessor = OnlyUrl.class,
      description =
          "Fetch missing debug files from this debuginfod server and from those in DEBUGINFOD_URLS."
              + " If that variable is set, its servers are used even without this option.")
  private Optional<String> url = Optional.empty();

  /** What follows the option is its value only if it can be one: {@code --debuginfod FILE}. */
  static final class OnlyUrl implements IParameterPreprocessor {
    @Override
    public boolean preprocess(
        Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> info) {
      boolean attached = "=".equals(info.get("separator"));
      if (attached || !words.isEmpty() && DebuginfodSettings.isUrl(words.peek())) {
        return false; // picocli takes it
      }
      option.setValue(Optional.of(""));
      return true;
    }
  }

  /** The servers to ask; empty if none is named. */
  public Optional<Debuginfod> servers() {
    DebuginfodSettings settings = DebuginfodSettings.of(System.getenv());
    if (url.isPresent() && !url.get().isEmpty()) {
      if (!DebuginfodSettings.isUrl(url.get())) {
        throw new IllegalArgumentException(
            "--debuginfod " + url.get() + ": not a URL; use --debuginfod=https://SERVER");
      }
      settings = settings.with(url.get());
    }
    if (url.isPresent() && settings.urls().isEmpty()) {
      throw new IllegalArgumentException(
          "--debuginfod: DEBUGINFOD_URLS names no server; use --debuginfod=https://SERVER");
    }
    return settings.urls().isEmpty() ? Optional.empty() : Optional.of(new Debuginfod(settings));
  }
}
