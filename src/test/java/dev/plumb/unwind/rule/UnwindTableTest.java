package dev.plumb.unwind.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import dev.plumb.unwind.ReadelfRules;
import dev.plumb.unwind.UnwindTables;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What tables say, of assembler code with known rules and of real files by readelf's account. */
public class UnwindTableTest {
  private static final Pattern SYMBOL =
      Pattern.compile("\\s*\\d+: ([0-9a-f]+)\\s+\\d+ NOTYPE\\s+LOCAL\\s+DEFAULT\\s+\\d+ (at\\d+)");

  /** CFI directives, each with the rule that they make; a label of its number stands there. */
  private static final Object[][] RULES = {
    {"", rule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_SAME, 0)},
    {".cfi_def_cfa_offset 16", rule(UnwindRule.CFA_RSP, 16, UnwindRule.RBP_SAME, 0)},
    {".cfi_offset %rbp, -16", rule(UnwindRule.CFA_RSP, 16, UnwindRule.RBP_AT_CFA, -16)},
    {".cfi_def_cfa_register %rbp", rule(UnwindRule.CFA_RBP, 16, UnwindRule.RBP_AT_CFA, -16)},
    {".cfi_undefined %rbp", rule(UnwindRule.CFA_RBP, 16, UnwindRule.RBP_UNDEFINED, 0)},
    {".cfi_register %rbp, %r9", rule(UnwindRule.CFA_RBP, 16, UnwindRule.RBP_UNDEFINED, 0)},
    {".cfi_restore %rbp", rule(UnwindRule.CFA_RBP, 16, UnwindRule.RBP_SAME, 0)},
    {".cfi_def_cfa %r10, 0", rule(UnwindRule.CFA_REGISTER + 10, 0, UnwindRule.RBP_SAME, 0)},
    {
      ".cfi_escape 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0",
      rule(UnwindRule.CFA_AT_RBP, -8, UnwindRule.RBP_AT_RBP, 0)
    },
    {".cfi_escape 0x0f, 2, 0x77, 24", rule(UnwindRule.CFA_RSP, 24, UnwindRule.RBP_AT_RBP, 0)},
    {".cfi_same_value %rbp", rule(UnwindRule.CFA_RSP, 24, UnwindRule.RBP_SAME, 0)},
    {
      ".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22",
      rule(UnwindRule.CFA_PLT, 11, UnwindRule.RBP_SAME, 0)
    },
    { // the same in other words, for a PLT with indirect branch tracking
      ".cfi_escape 0x0f, 12, 0x38, 0x80, 0, 8, 15, 0x1a, 0x39, 0x2a, 0x1e, 0x77, 8, 0x22",
      rule(UnwindRule.CFA_PLT, 9, UnwindRule.RBP_SAME, 0)
    },
    {".cfi_escape 0x0f, 3, 0x77, 8, 0x06", UnwindRule.UNSUPPORTED},
    {
      ".cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8",
      rule(UnwindRule.CFA_ABOVE_WORD_AT_RSP, 16, UnwindRule.RBP_SAME, 0)
    },
    {".cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 16", UnwindRule.UNSUPPORTED},
    {".cfi_def_cfa %rsp, 0x7fffffff", rule(UnwindRule.CFA_RSP, 0x7fff_ffff, 0, 0)},
    {".cfi_escape 0x0e, 0x80, 0x80, 0x80, 0x80, 0x08", UnwindRule.UNSUPPORTED},
    {".cfi_def_cfa_offset 32", rule(UnwindRule.CFA_RSP, 32, UnwindRule.RBP_SAME, 0)},
    {".cfi_offset %rbp, -32768", rule(UnwindRule.CFA_RSP, 32, UnwindRule.RBP_AT_CFA, -32768)},
    {".cfi_offset %rbp, -32776", UnwindRule.UNSUPPORTED},
    {".cfi_restore %rbp", rule(UnwindRule.CFA_RSP, 32, UnwindRule.RBP_SAME, 0)},
    {".cfi_offset %rip, -16", UnwindRule.UNSUPPORTED},
    {
      ".cfi_def_cfa_offset 0\n.cfi_register %rip, %rcx",
      rule(UnwindRule.CFA_LANDING_IN_RCX, 0, UnwindRule.RBP_SAME, 0)
    },
    {".cfi_def_cfa_offset 32", UnwindRule.UNSUPPORTED},
    {".cfi_undefined %rip", rule(UnwindRule.CFA_END, 0, UnwindRule.RBP_UNDEFINED, 0)},
    {".cfi_restore %rip", rule(UnwindRule.CFA_RSP, 32, UnwindRule.RBP_SAME, 0)},
    {".cfi_offset %rsp, -24", UnwindRule.UNSUPPORTED},
    {".cfi_restore %rsp", rule(UnwindRule.CFA_RSP, 32, UnwindRule.RBP_SAME, 0)},
    {".cfi_endproc", UnwindRule.NONE},
    {".cfi_startproc", rule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_SAME, 0)},
    {".cfi_endproc", UnwindRule.NONE},
    {
      ".cfi_startproc\n.cfi_signal_frame\n.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 0x06\n"
          + ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1",
      rule(UnwindRule.CFA_SIGNAL, 0, UnwindRule.RBP_UNDEFINED, 0)
    },
    {".cfi_endproc", UnwindRule.NONE},
  };

  private static UnwindRule rule(int cfa, int cfaOffset, int rbp, int rbpOffset) {
    return new UnwindRule(cfa, cfaOffset, rbp, rbpOffset);
  }

  public static String assembler() {
    StringBuilder source = new StringBuilder(".text\n.cfi_startproc\n");
    for (int i = 0; i < RULES.length; i++) {
      source.append(RULES[i][0]).append("\nat").append(i).append(":\nnop\nnop\nnop\n");
    }
    return source.toString();
  }

  @Test
  void makesTheRuleOfEachRow() {
    Path file = Fixtures.assemble("table-rules", assembler(), "-shared", "-nostdlib");
    int seen = 0;
    try (ElfFile elf = ElfFile.open(file)) {
      UnwindTable table = UnwindTables.of(elf).table();
      for (String line : Fixtures.run("readelf", "-W", "-s", file.toString()).split("\n")) {
        Matcher symbol = SYMBOL.matcher(line);
        if (symbol.matches()) {
          int number = Integer.parseInt(symbol.group(2).substring(2));
          long elfAddress = Long.parseLong(symbol.group(1), 16);
          for (int i = 0; i < 3; i++) {
            assertThat(table.ruleAt(elfAddress + i))
                .as("%d: %s", number, RULES[number][0])
                .isEqualTo(RULES[number][1]);
          }
          seen++;
        }
      }
      assertThat(table.ruleAt(0)).isEqualTo(UnwindRule.NONE);
      assertThat(table.ruleAt(-1)).isEqualTo(UnwindRule.NONE);
    }
    assertThat(seen).isEqualTo(RULES.length);
  }

  @Test
  void packsAndUnpacks() {
    for (UnwindRule rule :
        List.of(
            new UnwindRule(1, 16, 1, -16, 63),
            rule(1, -8, 2, -32768),
            rule(31, Integer.MIN_VALUE, 3, 32767),
            rule(7, 9, 0, -1))) {
      assertThat(UnwindRule.of(rule.packed())).isEqualTo(rule);
    }
  }

  /** The usual rows of real files, as readelf has them. */
  @Test
  void agreesWithReadelf() throws IOException {
    ReadelfRules rules = new ReadelfRules();
    for (String name :
        List.of(
            "/lib64/ld-linux-x86-64.so.2",
            "/lib/x86_64-linux-gnu/libc.so.6",
            "/lib/x86_64-linux-gnu/libstdc++.so.6",
            System.getProperty("java.home") + "/lib/server/libjvm.so")) {
      rules.compare(Path.of(name).toRealPath());
    }
    assertThat(rules.differences()).isEmpty();
    assertThat(rules.compared()).isGreaterThan(250_000);
  }

  /** The damage is an unknown instruction, as of a later DWARF. */
  @Test
  void losesOneFunctionToOneBadEntry() throws IOException {
    Path file = Path.of("/usr/bin/bash").toRealPath();
    byte[] bytes = Files.readAllBytes(file);
    int section;
    UnwindTables.Built whole;
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "whole")) {
      section = (int) elf.section(".eh_frame").map(Section::fileOffset).orElseThrow().longValue();
      whole = UnwindTables.of(elf);
    }
    int at = section;
    for (int i = 0; i < 40; i++) {
      at += 4 + word(bytes, at);
    }
    int length = word(bytes, at);
    bytes[at + 17] = 0x3f; // the first instruction
    try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "damaged")) {
      UnwindTables.Built damaged = UnwindTables.of(elf);
      long elfSection = elf.section(".eh_frame").orElseThrow().elfAddress();
      long start = elfSection + (at - section) + 8 + word(bytes, at + 8);
      long end = start + word(bytes, at + 12);
      assertThat(length).isGreaterThan(14);
      assertThat(damaged.statistics().badFunctions()).isEqualTo(1);
      assertThat(whole.statistics().badFunctions()).isZero();
      UnwindTable table = whole.table();
      for (int i = 0; i < table.rows(); i++) {
        long elfAddress = table.elfAddress(i);
        UnwindRule expected =
            elfAddress >= start && elfAddress < end
                ? UnwindRule.UNSUPPORTED
                : table.ruleAt(elfAddress);
        assertThat(damaged.table().ruleAt(elfAddress)).isEqualTo(expected);
      }
      assertThat(damaged.table().ruleAt(start)).isEqualTo(UnwindRule.UNSUPPORTED);
      assertThat(damaged.table().ruleAt(end - 1)).isEqualTo(UnwindRule.UNSUPPORTED);
    }
  }

  private static int word(byte[] bytes, int at) {
    return (bytes[at] & 0xff)
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | bytes[at + 3] << 24;
  }

  @Test
  void usesDebugFrameOnlyWhereThereIsNoEhFrame() {
    String source = ".text\n.cfi_sections %s\n.cfi_startproc\n%s\nnop\n.cfi_endproc\n";
    Path eh = object("table-eh.o", source.formatted(".eh_frame", "at1: nop"));
    Path debug =
        object("table-debug.o", source.formatted(".debug_frame", "at2: .cfi_def_cfa_offset 24"));
    Path both =
        object(
            "table-both.o",
            source.formatted(".eh_frame, .debug_frame", "at3: .cfi_def_cfa_offset 32"));
    Path linked = Fixtures.file("table-mixed");
    Fixtures.run(
        "gcc",
        "-shared",
        "-nostdlib",
        eh.toString(),
        debug.toString(),
        both.toString(),
        "-o",
        linked.toString());
    List<Integer> offsets = new ArrayList<>();
    try (ElfFile elf = ElfFile.open(linked)) {
      UnwindTable table = UnwindTables.of(elf).table();
      for (String line : Fixtures.run("readelf", "-W", "-s", linked.toString()).split("\n")) {
        Matcher symbol = SYMBOL.matcher(line);
        if (symbol.matches()) {
          offsets.add(table.ruleAt(Long.parseLong(symbol.group(1), 16)).cfaOffset());
        }
      }
    }
    assertThat(offsets).containsExactlyInAnyOrder(8, 24, 32);
  }

  private static Path object(String name, String source) {
    return Fixtures.assemble(name, source, "-c");
  }

  @Test
  void isEmptyWithoutCallFrames() {
    Path file =
        Fixtures.gcc(
            "table-none",
            "int f(int x) { return x; }",
            "-shared",
            "-nostdlib",
            "-fno-asynchronous-unwind-tables",
            "-Wl,--no-ld-generated-unwind-info");
    Path other = Fixtures.gcc("table-32", "int f(int x) { return x; }", "-shared", "-m32");
    for (Path path : List.of(file, other)) {
      try (ElfFile elf = ElfFile.open(path)) {
        assertThat(UnwindTables.of(elf).table().rows()).isZero();
      }
    }
  }

  /** Each function has an offset of its own: more rules than there are numbers. */
  @Test
  void runsOutOfRuleNumbers() {
    StringBuilder source = new StringBuilder(".text\n.cfi_startproc\n");
    for (int i = 1; i < 70_000; i++) {
      source.append("nop\n.cfi_def_cfa_offset ").append(8 * i).append('\n');
    }
    source.append("nop\n.cfi_endproc\n");
    Path file = Fixtures.assemble("table-many", source.toString(), "-shared", "-nostdlib");
    try (ElfFile elf = ElfFile.open(file)) {
      UnwindTables.Built built = UnwindTables.of(elf);
      assertThat(built.table().rules()).isEqualTo(65_536);
      assertThat(built.statistics().rulesLost()).isEqualTo(69_999 - 65_534);
      assertThat(built.statistics().unsupportedRows()).isEqualTo(1);
      long first = built.table().elfAddress(0);
      assertThat(built.table().ruleAt(first + 60_000).cfaOffset()).isEqualTo(8 * 60_000);
      assertThat(built.table().ruleAt(first + 69_999)).isEqualTo(UnwindRule.UNSUPPORTED);
    }
  }

  @Test
  void keepsToALimitOfRows() {
    try (ElfFile elf = ElfFile.open(Path.of("/lib/x86_64-linux-gnu/libc.so.6"))) {
      UnwindTables.Built built = UnwindTables.of(elf, 1000, false);
      assertThat(built.table().rows()).isBetween(900, 3000);
      assertThat(built.statistics().droppedFunctions()).isGreaterThan(2000);
    }
  }
}
