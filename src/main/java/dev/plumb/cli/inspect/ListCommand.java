package dev.plumb.cli.inspect;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.cli.text.Colours;
import dev.plumb.cli.text.SafeText;
import dev.plumb.cli.text.TextTable;
import dev.plumb.collect.Mode;
import dev.plumb.collect.Modes;
import dev.plumb.collect.code.Libraries;
import dev.plumb.collect.code.Library;
import dev.plumb.collect.probe.FunctionSites;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.kernel.Tracefs;
import dev.plumb.linux.proc.ProcCgroup;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists what can be recorded. */
@Command(
    name = "list",
    description = "Lists recording modes, kernel tracepoints, the probes of a file, or processes.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(modes | events | probes | processes)",
    footer = {
      "",
      "Examples:",
      "  plumb list modes                   what can be recorded here, and why the rest cannot",
      "  plumb list events sched            tracepoints whose name contains 'sched'",
      "  plumb list probes /bin/bash read   functions and USDT probes that contain 'read'",
      "  plumb list processes               busiest first",
    })
public final class ListCommand {
  @Command(
      name = "modes",
      description =
          "Lists what `plumb record` can measure here, and why it cannot measure the rest.",
      mixinStandardHelpOptions = true)
  int modes() {
    Btf kernel = KernelTypes.running().kernel();
    TextTable table = new TextTable("<MODE", "<HERE", "<WHAT", "<VALUES");
    for (Mode mode : Modes.all()) {
      table.row(
          mode.name(),
          mode.problem(kernel).map(problem -> "no: " + problem).orElse("yes"),
          mode.purpose(),
          String.join(", ", mode.values(mode.name())));
    }
    ProbeKinds.list(table);
    table.print(new PrintWriter(System.out, true), Colours.ofStandardOutput());
    return 0;
  }

  @Command(
      name = "events",
      description = "Lists the kernel's tracepoints, as CATEGORY:NAME.",
      mixinStandardHelpOptions = true)
  int events(
      @Parameters(
              arity = "0..1",
              paramLabel = "TEXT",
              description = "Show only entries that contain TEXT.")
          String text) {
    try (Tracefs tracefs = Tracefs.open()) {
      for (String category : tracefs.categories()) {
        for (String name : tracefs.events(category)) {
          String event = category + ":" + name;
          if (text == null || event.contains(text)) {
            System.out.println(SafeText.line(event));
          }
        }
      }
    }
    return 0;
  }

  @Command(
      name = "probes",
      description = "Lists the USDT probes and functions of a program or library.",
      mixinStandardHelpOptions = true)
  int probes(
      @Parameters(paramLabel = "FILE", description = "Path, or a name such as libc.so.6 or c.")
          String file,
      @Parameters(
              arity = "0..1",
              paramLabel = "TEXT",
              description = "Show only entries that contain TEXT.")
          String text) {
    for (Library library : Libraries.find(file, List.of())) {
      TreeSet<String> probes = new TreeSet<>();
      try (ElfFile elf = ElfFile.open(library.path())) {
        elf.usdtNotes()
            .forEach(
                note -> probes.add("usdt:" + file + ":" + note.provider() + ":" + note.name()));
      }
      FunctionSites.names(library).forEach(name -> probes.add("uprobe:" + file + ":" + name));
      probes.stream()
          .filter(p -> text == null || p.contains(text))
          .map(SafeText::line)
          .forEach(System.out::println);
    }
    return 0;
  }

  @Command(
      name = "processes",
      description = "Lists processes with their CPU time, busiest first.",
      mixinStandardHelpOptions = true)
  int processes(
      @Parameters(
              arity = "0..1",
              paramLabel = "TEXT",
              description = "Show only names that contain TEXT.")
          String text) {
    try (ProcReader reader = new ProcReader()) {
      List<ProcStat> all = new ArrayList<>();
      for (int pid : ProcList.pids(reader)) {
        ProcStat.read(reader, pid)
            .filter(stat -> text == null || stat.comm().contains(text))
            .ifPresent(all::add);
      }
      all.sort(
          Comparator.comparingLong((ProcStat s) -> s.userTicks() + s.systemTicks()).reversed());
      System.out.printf("%8s %8s %10s  %-16s %s%n", "PID", "THREADS", "CPU s", "NAME", "CGROUP");
      for (ProcStat stat : all) {
        String cgroup =
            ProcCgroup.read(reader, stat.pid()).map(ProcCgroup::mostSpecific).orElse("");
        System.out.printf(
            "%8d %8d %10.2f  %-16s %s%n",
            stat.pid(),
            stat.threads(),
            (stat.userTicks() + stat.systemTicks()) / 100.0,
            SafeText.line(stat.comm()),
            SafeText.line(cgroup));
      }
    }
    return 0;
  }
}
