package dev.plumb.elf;

import dev.plumb.testing.Fixtures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code readelf} says of a file, in lines that a test can make of an {@link ElfFile} too. */
final class Readelf {
  /** Those that all architectures have; the rest is {@code other}. */
  static final Map<Integer, String> SECTION_TYPES =
      Map.ofEntries(
          Map.entry(0, "NULL"),
          Map.entry(1, "PROGBITS"),
          Map.entry(2, "SYMTAB"),
          Map.entry(3, "STRTAB"),
          Map.entry(4, "RELA"),
          Map.entry(5, "HASH"),
          Map.entry(6, "DYNAMIC"),
          Map.entry(7, "NOTE"),
          Map.entry(8, "NOBITS"),
          Map.entry(9, "REL"),
          Map.entry(11, "DYNSYM"),
          Map.entry(14, "INIT_ARRAY"),
          Map.entry(15, "FINI_ARRAY"),
          Map.entry(16, "PREINIT_ARRAY"),
          Map.entry(17, "GROUP"),
          Map.entry(18, "SYMTAB SECTION INDICES"),
          Map.entry(0x6ffffff6, "GNU_HASH"),
          Map.entry(0x6ffffffd, "VERDEF"),
          Map.entry(0x6ffffffe, "VERNEED"),
          Map.entry(0x6fffffff, "VERSYM"));

  private static final Pattern SECTION =
      Pattern.compile(
          "\\s+\\[\\s*(\\d+)\\] (.*?)\\s+(SYMTAB SECTION INDICES|\\S+)\\s+([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,})"
              + " ([0-9a-f]{2,}) +([A-Za-z]*) +(\\d+) +(\\d+) +(\\d+)");
  private static final Pattern SEGMENT =
      Pattern.compile(
          "\\s+(\\S+)\\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) 0x([0-9a-f]+)"
              + " ([RWE ]{3}) (?:0x)?([0-9a-f]+)");
  private static final Pattern SYMBOL_TABLE =
      Pattern.compile("Symbol table '(.*)' contains \\d+ entr.*");
  private static final Pattern SYMBOL =
      Pattern.compile(
          "\\s*(\\d+): ([0-9a-f]+)\\s+(0x[0-9a-f]+|\\d+) (\\S+)\\s+(\\S+)\\s+(\\S+)\\s+(\\S+) ?(.*)");
  private static final Pattern NOTE = Pattern.compile("  (\\S+)\\s+0x([0-9a-f]{8})\\t.*");
  private static final Pattern BUILD_ID = Pattern.compile(".*Build ID: ([0-9a-f]+)");
  private static final Pattern PROBE =
      Pattern.compile(
          "Provider: (\\S*)\\n\\s+Name: (\\S*)\\n\\s+Location: 0x([0-9a-f]+), Base: 0x([0-9a-f]+),"
              + " Semaphore: 0x([0-9a-f]+)\\n\\s+Arguments: (.*)");

  private Readelf() {}

  /** Index, name, type, address, offset, size, entry size, link, info, alignment. */
  static List<String> sections(Path file) {
    return matches(SECTION, Fixtures.run("readelf", "-W", "-S", file.toString()))
        .map(
            m ->
                "%s %s %s %s %s %s %s %s %s %s"
                    .formatted(
                        m.group(1),
                        m.group(2),
                        SECTION_TYPES.containsValue(m.group(3)) ? m.group(3) : "other",
                        hex(m.group(4)),
                        hex(m.group(5)),
                        hex(m.group(6)),
                        hex(m.group(7)),
                        m.group(9),
                        m.group(10),
                        m.group(11)))
        .toList();
  }

  /** Offset, address, file size, memory size, flags, alignment. */
  static List<String> segments(Path file) {
    return matches(SEGMENT, Fixtures.run("readelf", "-W", "-l", file.toString()))
        .map(
            m ->
                "%s %s %s %s %s %s"
                    .formatted(
                        hex(m.group(2)),
                        hex(m.group(3)),
                        hex(m.group(4)),
                        hex(m.group(5)),
                        m.group(6),
                        hex(m.group(7))))
        .toList();
  }

  /** Table, number, value, size, type, binding, visibility, section, name without its version. */
  static List<String> symbols(Path file) {
    List<String> symbols = new ArrayList<>();
    String table = "";
    for (String line : Fixtures.run("readelf", "-W", "-s", file.toString()).split("\n")) {
      Matcher heading = SYMBOL_TABLE.matcher(line);
      if (heading.matches()) {
        table = heading.group(1);
      }
      Matcher m = SYMBOL.matcher(line);
      if (m.matches()) {
        String name = m.group(4).equals("SECTION") ? "" : m.group(8);
        symbols.add(
            "%s %s %s %s %s %s %s %s %s"
                .formatted(
                    table,
                    m.group(1),
                    hex(m.group(2)),
                    Long.decode(m.group(3)),
                    m.group(4),
                    m.group(5),
                    m.group(6),
                    m.group(7),
                    table.equals(".dynsym") ? name.replaceAll("@.*", "") : name));
      }
    }
    return symbols;
  }

  /** Owner and size of every note, then build ids and probes. */
  static List<String> notes(Path file) {
    String text = Fixtures.run("readelf", "-W", "-n", file.toString());
    List<String> lines = new ArrayList<>();
    matches(NOTE, text).forEach(m -> lines.add(m.group(1) + " " + hex(m.group(2))));
    matches(BUILD_ID, text).limit(1).forEach(m -> lines.add("build id " + m.group(1)));
    Matcher probe = PROBE.matcher(text);
    while (probe.find()) {
      lines.add(
          "%s:%s %s %s %s %s"
              .formatted(
                  probe.group(1),
                  probe.group(2),
                  hex(probe.group(3)),
                  hex(probe.group(4)),
                  hex(probe.group(5)),
                  probe.group(6).strip()));
    }
    return lines;
  }

  private static java.util.stream.Stream<Matcher> matches(Pattern pattern, String text) {
    return text.lines().map(pattern::matcher).filter(Matcher::matches);
  }

  private static String hex(String digits) {
    return Long.toHexString(Long.parseUnsignedLong(digits, 16));
  }
}
