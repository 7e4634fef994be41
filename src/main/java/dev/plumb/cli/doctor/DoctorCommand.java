package dev.plumb.cli.doctor;

import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.cli.serve.StoreGrowth;
import dev.plumb.cli.text.Colours;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what works on this machine and what does not, with the effect and the remedy. */
@Command(
    name = "doctor",
    description = "Shows what Plumb can do on this machine, and what is missing for the rest.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all that recording needs is there", "3:something it needs is missing"},
    footer = {
      "",
      "Examples:",
      "  plumb doctor                 everything",
      "  plumb doctor | grep -v ^OK   what is missing",
    })
public final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      description = "Folder of the store (default: the one that plumb serve uses).")
  String folder = "";

  @Override
  public Integer call() {
    List<Finding> findings = new ArrayList<>(new Examination().findings());
    findings.add(Finding.fact("store", StoreGrowth.text(store())));
    Colours colours = Colours.ofStandardOutput();
    for (Finding finding : findings) {
      System.out.println(line(finding, colours));
    }
    boolean possible =
        findings.stream().noneMatch(f -> f.needed() && f.state() == Finding.State.MISSING);
    return possible ? 0 : ExitCode.NOT_POSSIBLE;
  }

  private Path store() {
    return folder.isEmpty() ? StateFolder.store() : Path.of(folder);
  }

  private static String line(Finding finding, Colours colours) {
    String state = finding.ok() ? "OK" : finding.needed() ? "MISSING" : "no";
    String padded = "%-8s".formatted(state);
    StringBuilder line =
        new StringBuilder(
            finding.ok()
                ? colours.good(padded)
                : finding.needed() ? colours.more(padded) : colours.warn(padded));
    line.append("%-42s ".formatted(finding.what())).append(finding.seen());
    if (!finding.ok()) {
      line.append(finding.cost().isEmpty() ? "" : "; effect: " + finding.cost());
      line.append(finding.remedy().isEmpty() ? "" : "; " + finding.remedy());
    }
    return line.toString();
  }
}
