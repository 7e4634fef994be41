package dev.plumb.unwind.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.dwarf.cfi.CallFrames;
import dev.plumb.dwarf.cfi.FrameRow;
import dev.plumb.dwarf.cfi.FrameVisitor;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.Section;
import dev.plumb.testing.Programs;
import dev.plumb.unwind.UnwindTables;
import dev.plumb.unwind.rule.UnwindRule;
import dev.plumb.unwind.rule.UnwindTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Following instructions against what compilers say of the same functions. */
class PlainFunctionTest {
  private record Range(long elfStart, long elfEnd) {}

  @TempDir Path folder;

  /** Every function of the C library: what is followed agrees with its description. */
  @Test
  void agreesWithDescriptions() throws IOException {
    Path libc = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
    try (ElfFile elf = ElfFile.open(libc)) {
      UnwindTable table = UnwindTables.of(elf).table();
      Section text = elf.section(".text").orElseThrow();
      byte[] file = Files.readAllBytes(libc);
      PlainFunction function = new PlainFunction();
      int followed = 0;
      int compared = 0;
      List<String> wrong = new ArrayList<>();
      for (Range range : functions(elf)) {
        long into = range.elfStart - text.elfAddress();
        if (into < 0 || range.elfEnd > text.elfAddress() + text.size()) {
          continue;
        }
        byte[] code = new byte[(int) (range.elfEnd - range.elfStart)];
        System.arraycopy(file, (int) (text.fileOffset() + into), code, 0, code.length);
        int end = function.follow(code, 0);
        if (end < 0) {
          continue;
        }
        followed++;
        for (int i = 0; i < function.rows(); i++) {
          UnwindRule described = table.ruleAt(range.elfStart + function.start(i));
          UnwindRule found = UnwindRule.of(function.rule(i));
          if (described.cfa() == UnwindRule.CFA_RSP) {
            compared++;
            if (!popped(described).equals(found)) {
              wrong.add(Long.toHexString(range.elfStart + function.start(i)) + " " + described);
            }
          }
        }
      }
      System.out.printf("%d functions followed, %d rows%n", followed, compared);
      assertThat(wrong).hasSizeLessThan(followed / 500 + 1);
      assertThat(followed).isGreaterThan(1000);
    }
  }

  /** {@code syscall; test %rax,%rax; jl; je; ret}: what it jumps to is described. */
  @Test
  void theWayOutOfClone() {
    byte[] code = {0x0f, 0x05, 0x48, (byte) 0x85, (byte) 0xc0, 0x7c, 0x18, 0x74, 0x01, (byte) 0xc3};
    PlainFunction function = new PlainFunction();
    assertThat(function.follow(code, 0)).isEqualTo(code.length);
    assertThat(function.rows()).isEqualTo(1);
    assertThat(UnwindRule.of(function.rule(0))).isEqualTo(rsp(8, 0));
  }

  /** GCC goes on saying where rbp was when it is back already. */
  private static UnwindRule popped(UnwindRule rule) {
    return rule.rbp() == UnwindRule.RBP_AT_CFA && -rule.rbpOffset() > rule.cfaOffset()
        ? rsp(rule.cfaOffset(), 0)
        : rule;
  }

  private static List<Range> functions(ElfFile elf) {
    List<Range> ranges = new ArrayList<>();
    CallFrames.forEachOfEhFrame(
        elf,
        new FrameVisitor() {
          @Override
          public boolean function(long elfStart, long elfEnd) {
            if (elfEnd - elfStart < 4096) {
              ranges.add(new Range(elfStart, elfEnd));
            }
            return false;
          }

          @Override
          public void row(FrameRow row) {}

          @Override
          public void end(boolean whole) {}
        });
    return ranges;
  }

  /** A program whose one undescribed function has a described one on each side. */
  @Test
  void describesWhatCompilersLeftOut() throws IOException {
    String code =
        """
        .text
        .globl before, plain, after
        before: .cfi_startproc
          ret
          .cfi_endproc
        plain: push %rax
        plain1: push %rbp
        plain2: sub $0x28, %rsp
        plain3: call before
          test %eax, %eax
          je 1f
          add $0x28, %rsp
        plain4: pop %rbp
        plain5: pop %rcx
        plain6: ret
        1: ud2
        .skip 5, 0xcc
        after: .cfi_startproc
          ret
          .cfi_endproc
        """;
    try (ElfFile elf = ElfFile.open(assembled(code))) {
      UnwindTable table = UnwindTables.of(elf).table();
      long plain = elf.section(".text").orElseThrow().elfAddress() + 1;
      assertThat(table.ruleAt(plain)).isEqualTo(rsp(8, 0));
      assertThat(table.ruleAt(plain + 1)).isEqualTo(rsp(16, 0));
      assertThat(table.ruleAt(plain + 2)).isEqualTo(rsp(24, -24));
      assertThat(table.ruleAt(plain + 6)).isEqualTo(rsp(64, -24));
      assertThat(table.ruleAt(plain + 19)).isEqualTo(rsp(24, -24));
      assertThat(table.ruleAt(plain + 20)).isEqualTo(rsp(16, 0));
      assertThat(table.ruleAt(plain + 21)).isEqualTo(rsp(8, 0));
      assertThat(table.ruleAt(plain + 22)).as("behind a jump").isEqualTo(rsp(64, -24));
      assertThat(table.ruleAt(plain + 24)).as("padding").isEqualTo(UnwindRule.NONE);
    }
  }

  /** Padding between thousands of functions does not hide what is behind them. */
  @Test
  void describesWhatIsLeftOutAtTheEndOfALargeFile() throws IOException {
    String code =
        """
        .text
        .rept 6000
          .p2align 4
          .cfi_startproc
          ret
          .cfi_endproc
          .p2align 5
          .cfi_startproc
          ret
          .cfi_endproc
        .endr
        .p2align 4
        .globl plain
        plain: push %rbp
          call plain
          pop %rbp
          ret
          .p2align 4
          .cfi_startproc
          ret
          .cfi_endproc
        """;
    try (ElfFile elf = ElfFile.open(assembled(code))) {
      UnwindTable table = UnwindTables.of(elf).table();
      Section text = elf.section(".text").orElseThrow();
      long plain = text.elfAddress() + text.size() - 17;
      assertThat(table.ruleAt(plain)).isEqualTo(rsp(8, 0));
      assertThat(table.ruleAt(plain + 1)).isEqualTo(rsp(16, -16));
      assertThat(table.ruleAt(plain - 1)).as("padding").isEqualTo(UnwindRule.NONE);
    }
  }

  private Path assembled(String code) throws IOException {
    Path assembler = folder.resolve("code.s");
    Path binary = folder.resolve("code.so");
    Files.writeString(assembler, code);
    Programs.run("gcc", "-shared", "-nostdlib", "-o", binary.toString(), assembler.toString());
    return binary;
  }

  private static UnwindRule rsp(int offset, int rbp) {
    int how = rbp == 0 ? UnwindRule.RBP_SAME : UnwindRule.RBP_AT_CFA;
    return new UnwindRule(UnwindRule.CFA_RSP, offset, how, rbp);
  }

  /** Any bytes have an end, within the bytes. */
  @Test
  void anyBytes() {
    Random random = new Random(7);
    PlainFunction function = new PlainFunction();
    byte[] code = new byte[200];
    int followed = 0;
    for (int n = 0; n < 300_000; n++) {
      random.nextBytes(code);
      int end = function.follow(code, random.nextInt(code.length));
      assertThat(end).isBetween(-1, code.length);
      followed += end < 0 ? 0 : 1;
      for (int i = 1; i < function.rows(); i++) {
        assertThat(function.start(i)).isGreaterThan(function.start(i - 1));
      }
    }
    assertThat(followed).isPositive();
  }
}
