package dev.plumb.dwarf.cfi;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what {@code readelf --debug-dump=frames-interp} prints:
 *
 * <pre>
 * 00000018 0000000000000024 0000001c FDE cie=00000000 pc=0000000000026000..0000000000026360
 *    LOC           CFA      ra
 * 0000000000026000 rsp+16   c-8
 * </pre>
 *
 * A function that adds nothing to its common entry is printed without rows.
 */
final class ReadelfFrames {
  private final BufferedReader output;

  /** The registers' numbers and rules of each common entry, by its offset, in this section. */
  private final Map<String, List<Line>> commons = new HashMap<>();

  private String line;

  /** A row: its address, its CFA, and rules by register. */
  private record Line(long at, String cfa, String[] rules) {}

  ReadelfFrames(BufferedReader output) {
    this.output = output;
  }

  /** Null at the end. */
  FrameText next() throws IOException {
    while (true) {
      if (line == null) {
        line = output.readLine();
      }
      if (line == null) {
        return null;
      }
      String head = line;
      line = null;
      if (head.startsWith("Contents of the")) {
        commons.clear();
      } else if (head.contains(" CIE ")) {
        commons.put(head.substring(0, head.indexOf(' ')), lines());
      } else if (head.contains(" FDE ")) {
        FrameText text = function(head);
        if (text.elfEnd() != text.elfStart()) {
          return text;
        }
      }
    }
  }

  private FrameText function(String head) throws IOException {
    int pc = head.indexOf(" pc=");
    int dots = head.indexOf("..", pc);
    long start = Long.parseUnsignedLong(head.substring(pc + 4, dots), 16);
    long end = Long.parseUnsignedLong(head.substring(dots + 2).strip(), 16);
    int cie = head.indexOf("cie=") + 4;
    List<Line> lines = lines();
    if (lines.isEmpty()) {
      List<Line> common = commons.get(head.substring(cie, head.indexOf(' ', cie)));
      if (common == null) {
        throw new IOException("no common entry for " + head);
      }
      for (Line row : common) {
        lines.add(new Line(start, row.cfa, row.rules));
      }
    }
    FrameText text = new FrameText(start, end);
    for (int i = 0; i < lines.size(); i++) {
      Line row = lines.get(i);
      boolean empty = i + 1 < lines.size() && lines.get(i + 1).at == row.at;
      if (!empty && Long.compareUnsigned(row.at, end) < 0) {
        add(text, row);
      }
    }
    return text;
  }

  private static void add(FrameText text, Line row) {
    text.begin(row.at, row.cfa);
    for (int i = 0; i < 128; i++) {
      if (row.rules[i] != null && !row.rules[i].equals("u")) {
        text.rule(i, row.rules[i]);
      }
    }
    text.end();
  }

  /** The rows that follow, up to an empty line or the next entry. */
  private List<Line> lines() throws IOException {
    List<Line> rows = new ArrayList<>();
    int[] registers = new int[0];
    while ((line = output.readLine()) != null) {
      if (line.isBlank() || line.contains(" CIE ") || line.contains(" FDE ")) {
        break;
      }
      // A register is printed as r5 (rdi).
      String[] words = line.strip().replaceAll(" \\([a-z0-9]+\\)", "").split("\\s+");
      if (words[0].equals("LOC")) {
        registers = Arrays.stream(words).skip(2).mapToInt(w -> register(w)).toArray();
        continue;
      }
      String[] rules = new String[128];
      for (int i = 0; i < registers.length; i++) {
        rules[registers[i]] = words[i + 2];
      }
      rows.add(new Line(Long.parseUnsignedLong(words[0], 16), words[1], rules));
    }
    return rows;
  }

  private static int register(String name) {
    int number = Arrays.asList(FrameText.REGISTERS).indexOf(name);
    if (number < 0) {
      throw new AssertionError("register " + name);
    }
    return number;
  }
}
