package dev.plumb.unwind;

import dev.plumb.elf.ElfFile;
import dev.plumb.testing.Fixtures;
import dev.plumb.unwind.rule.UnwindRule;
import dev.plumb.unwind.rule.UnwindTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes rules of the usual rows that readelf prints and holds them against a table's. */
public final class ReadelfRules {
  private final List<String> differences = new ArrayList<>();
  private long compared;

  public List<String> differences() {
    return differences;
  }

  public long compared() {
    return compared;
  }

  public void compare(Path path) {
    try (ElfFile elf = ElfFile.open(path)) {
      UnwindTable table = UnwindTables.of(elf).table();
      List<String> columns = List.of();
      long end = 0;
      String previous = "";
      String dump = "--debug-dump=frames-interp,no-follow-links";
      for (String line : Fixtures.run("readelf", dump, path.toString()).split("\n")) {
        String[] words = line.strip().split("\\s+");
        if (words[0].equals("LOC")) {
          columns = Arrays.asList(words);
        } else if (line.contains(" FDE ")) {
          end = Long.parseLong(line.substring(line.indexOf("..") + 2).strip(), 16);
        } else if (line.contains(" CIE ")) {
          end = 0;
        } else if (words.length == columns.size() && words[0].length() == 16) {
          // Of several rows at one address the last one holds.
          if (!previous.isEmpty() && !previous.startsWith(words[0])) {
            compare(previous, columns, end, table);
          }
          previous = line;
          continue;
        }
        if (!previous.isEmpty()) {
          compare(previous, columns, end, table);
          previous = "";
        }
      }
    }
  }

  private void compare(String line, List<String> columns, long end, UnwindTable table) {
    String[] words = line.strip().split("\\s+");
    long elfAddress = Long.parseLong(words[0], 16);
    int ra = columns.indexOf("ra");
    int rsp = columns.indexOf("rsp");
    int rbp = columns.indexOf("rbp");
    boolean usual =
        (words[1].startsWith("rsp+") || words[1].startsWith("rbp+"))
            && ra > 0
            && words[ra].equals("c-8")
            && (rsp < 0 || words[rsp].equals("u"))
            && (rbp < 0 || words[rbp].matches("u|c-.*"));
    if (!usual || elfAddress >= end) {
      return;
    }
    boolean saved = rbp > 0 && !words[rbp].equals("u");
    UnwindRule expected =
        new UnwindRule(
            words[1].startsWith("rsp") ? UnwindRule.CFA_RSP : UnwindRule.CFA_RBP,
            Integer.parseInt(words[1].substring(4)),
            saved ? UnwindRule.RBP_AT_CFA : UnwindRule.RBP_SAME,
            saved ? Integer.parseInt(words[rbp].substring(1)) : 0);
    UnwindRule found = table.ruleAt(elfAddress);
    if (found.cfa() == UnwindRule.CFA_LANDING_AT_RCX) {
      return; // it says more: there was no call
    }
    compared++;
    if (!found.equals(expected)) {
      differences.add(line + ": " + found);
    }
  }
}
