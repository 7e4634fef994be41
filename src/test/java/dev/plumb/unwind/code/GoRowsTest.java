package dev.plumb.unwind.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.cfi.CallFrames;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Fixtures;
import dev.plumb.unwind.UnwindTables;
import dev.plumb.unwind.rule.RowSink;
import dev.plumb.unwind.rule.RuleMaker;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindRule;
import dev.plumb.unwind.rule.UnwindTable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Go's own table against what Go's linker says in .debug_frame, and damaged ones. */
class GoRowsTest {
  private static final Path SOURCE = Path.of("src/test/targets/chains.go");
  private static final int MUTANTS = 3000;
  private static final int STEP = 3;

  private static Path plain;

  @BeforeAll
  static void build() {
    plain = build("go-rows");
  }

  private static Path build(String name, String... flags) {
    Path program = Fixtures.file(name);
    String[] command = new String[flags.length + 5];
    command[0] = "go";
    command[1] = "build";
    System.arraycopy(flags, 0, command, 2, flags.length);
    command[flags.length + 2] = "-o";
    command[flags.length + 3] = program.toString();
    command[flags.length + 4] = SOURCE.toAbsolutePath().toString();
    Fixtures.run(command);
    return program;
  }

  @Test
  void agreesWithDebugFrame() {
    try (ElfFile elf = ElfFile.open(plain)) {
      UnwindTable go = goRows(elf);
      UnwindTable described = debugFrame(elf);
      Section text = elf.section(".text").orElseThrow();
      int compared = 0;
      int special = 0;
      for (long a = text.elfAddress(); a < text.elfAddress() + text.size(); a += STEP) {
        UnwindRule expected = described.ruleAt(a);
        UnwindRule found = go.ruleAt(a);
        if (found.cfa() == UnwindRule.CFA_RSP && expected.cfa() == UnwindRule.CFA_RSP) {
          compared++;
          assertThat(found.cfaOffset()).as("at %x", a).isEqualTo(expected.cfaOffset());
        } else if (expected.cfa() == UnwindRule.CFA_RSP) {
          special++;
        }
      }
      assertThat(compared).isGreaterThan(100_000);
      assertThat(special).as("functions that change stacks").isBetween(1, compared / 50);
    }
  }

  @Test
  void knowsWhereStacksChangeAndEnd() {
    try (ElfFile elf = ElfFile.open(plain)) {
      UnwindTable go = UnwindTables.of(elf).table();
      assertThat(ruleIn(elf, go, "runtime.systemstack.abi0", 0x4a).cfa())
          .isEqualTo(UnwindRule.CFA_OTHER_STACK);
      assertThat(ruleIn(elf, go, "runtime.systemstack.abi0", 0))
          .isEqualTo(new UnwindRule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_SAME, 0));
      assertThat(ruleIn(elf, go, "runtime.goexit.abi0", 1).cfa()).isEqualTo(UnwindRule.CFA_END);
      assertThat(ruleIn(elf, go, "runtime.mstart.abi0", 8).cfa()).isEqualTo(UnwindRule.CFA_END);
      // Just before the function, where its caller is looked up.
      assertThat(ruleIn(elf, go, "runtime.sigreturn__sigaction.abi0", -1).cfa())
          .isEqualTo(UnwindRule.CFA_SIGNAL);
    }
  }

  private static UnwindRule ruleIn(ElfFile elf, UnwindTable table, String function, int offset) {
    var symbols = elf.symbols(elf.section(".symtab").orElseThrow());
    for (int i = 0; i < symbols.size(); i++) {
      if (symbols.name(i).equals(function)) {
        return table.ruleAt(symbols.value(i) + offset);
      }
    }
    throw new AssertionError("no " + function);
  }

  /** Whatever the linker does: the same rows for the same code. */
  @ParameterizedTest
  @ValueSource(strings = {"-ldflags=-s -w", "-buildmode=pie"})
  void otherLinkage(String flag) {
    Path other = build("go-rows-other" + flag.hashCode(), flag);
    try (ElfFile elf = ElfFile.open(plain);
        ElfFile another = ElfFile.open(other)) {
      UnwindTable expected = goRows(elf);
      UnwindTable found = goRows(another);
      long shift =
          another.section(".text").orElseThrow().elfAddress()
              - elf.section(".text").orElseThrow().elfAddress();
      assertThat(found.rows()).isGreaterThan(10_000);
      if (!flag.contains("pie")) {
        assertThat(found.rows()).isEqualTo(expected.rows());
        for (int i = 0; i < found.rows(); i += 7) {
          assertThat(found.elfAddress(i)).isEqualTo(expected.elfAddress(i) + shift);
        }
      }
    }
  }

  @Test
  void damagedTables() throws IOException {
    byte[] bytes = Files.readAllBytes(plain);
    Section table;
    try (ElfFile elf = ElfFile.open(plain)) {
      table = elf.section(".gopclntab").orElseThrow();
    }
    byte[] saved = new byte[4];
    int changed = 0;
    int rows = -1;
    for (int n = 0; n < MUTANTS; n++) {
      Random random = new Random(n);
      int into = random.nextInt(random.nextBoolean() ? 80 : (int) table.size() - 4);
      int at = (int) table.fileOffset() + into;
      System.arraycopy(bytes, at, saved, 0, saved.length);
      for (int i = 0; i < saved.length; i++) {
        bytes[at + i] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : bytes[at + i]);
      }
      try (ElfFile elf = ElfFile.of(MemorySegment.ofArray(bytes), "mutant " + n)) {
        UnwindTable mutant = goRows(elf);
        for (int i = 1; i < mutant.rows(); i++) {
          if (mutant.elfAddress(i) < mutant.elfAddress(i - 1)) {
            throw new AssertionError("mutant " + n + ": row " + i);
          }
        }
        changed += mutant.rows() == rows ? 0 : 1;
        rows = mutant.rows();
      } catch (RuntimeException e) {
        throw new AssertionError("mutant " + n, e);
      }
      System.arraycopy(saved, 0, bytes, at, saved.length);
    }
    assertThat(changed).isGreaterThan(100);
  }

  private static UnwindTable goRows(ElfFile elf) {
    CodeRange code = CodeRange.of(elf);
    RuleNumbers numbers = new RuleNumbers();
    GoRows go = new GoRows(elf, code, numbers, 1 << 22);
    RowSink sink = new RowSink();
    if (!go.isEmpty()) {
      go.emit(sink);
      sink.allocate();
      go.emit(sink);
    }
    return new UnwindTable(code.elfStart(), sink.starts(), sink.rules(), numbers.rules());
  }

  private static UnwindTable debugFrame(ElfFile elf) {
    CodeRange code = CodeRange.of(elf);
    RuleNumbers numbers = new RuleNumbers();
    FunctionRows rows =
        new FunctionRows(code, numbers, new RuleMaker(false), 1 << 22, UnwindTable.EMPTY, 0);
    CallFrames.forEachOfDebugFrame(elf, rows);
    rows.sort();
    RowSink sink = new RowSink();
    rows.emit(sink);
    sink.allocate();
    rows.emit(sink);
    return new UnwindTable(code.elfStart(), sink.starts(), sink.rules(), numbers.rules());
  }
}
