package dev.plumb.cli.text;

import java.util.List;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.IParamLabelRenderer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Help that shows options as {@code -p PID}; {@code -p=PID} is accepted, too. */
public final class HelpText extends Help {
  public HelpText(CommandSpec command, ColorScheme colours) {
    super(command, colours);
  }

  @Override
  public IParamLabelRenderer parameterLabelRenderer() {
    IParamLabelRenderer usual = super.parameterLabelRenderer();
    return new IParamLabelRenderer() {
      @Override
      public Ansi.Text renderParameterLabel(ArgSpec argument, Ansi ansi, List<Ansi.IStyle> styles) {
        String label = usual.renderParameterLabel(argument, ansi, styles).toString();
        return ansi.new Text(label.replaceFirst("^=", " "));
      }

      @Override
      public String separator() {
        return " ";
      }
    };
  }
}
