package dev.plumb.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Fixtures;
import dev.plumb.testing.Programs;
import dev.plumb.unwind.rule.Registers;
import dev.plumb.unwind.rule.UnwindEnd;
import dev.plumb.unwind.rule.UnwindRule;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Unwinds a program after each of its instructions, from the dynamic linker's first to the last
 * one: prologues, epilogues, stubs of the PLT and signal handlers included. What is right is known
 * from the calls that were seen to happen.
 */
@EnabledIf(
    value = "dev.plumb.testing.Root#is",
    disabledReason = "needs root: it reads the registers of other processes")
@Timeout(300)
class EveryInstructionTest {
  private static final int FIXED = 19;
  private static final int MOST_STEPS = 80_000;
  private static final int OUTERMOST = 5;

  /**
   * The C library's start files, and the PLT of a static program, have no call-frame information.
   */
  private static final String UNDESCRIBED = "undescribed code";

  private final Map<Long, Boolean> unmapped = new TreeMap<>();
  private final Map<String, Integer> wrong = new TreeMap<>();
  private final Map<String, Integer> lost = new TreeMap<>();
  private int steps;
  private int right;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "library -O2 -Wl,-z,lazy",
        "signal -O2 -fuse-ld=lld -Wl,-z,lazy",
        "aligned -O3 -mavx2 -static",
        "signal -O2 -no-pie -fcf-protection -Wl,-z,lazy,-z,ibtplt"
      })
  void findsAllCallers(String options) throws IOException {
    String[] words = options.split(" ");
    List<String> command = new ArrayList<>(List.of("gcc", "-fomit-frame-pointer"));
    if (options.contains("lld")) {
      command.add("-B" + folderOfLld());
    }
    command.addAll(List.of(words).subList(1, words.length));
    step(command, "unwound.c", "12", words[0]);
    System.out.println(options + ": " + steps + " instructions, wrong: " + wrong);
    assertThat(steps).isGreaterThan(5_000);
    assertThat(steps - right).isEqualTo(wrong.values().stream().mapToInt(n -> n).sum());
    assertThat(wrong.getOrDefault(UNDESCRIBED, 0)).isLessThan(50);
    wrong.remove(UNDESCRIBED);
    if (words[0].equals("aligned")) {
      // gcc says that rbp lies at rbp even after the leave which restored it.
      assertThat(wrong.values().stream().mapToInt(n -> n).sum()).isLessThan(20);
    } else {
      assertThat(wrong).isEmpty();
    }
  }

  /**
   * An exception thrown through ten functions, each with something to clean up. While the registers
   * of the next of them are put in place, the chain goes on with that one, and those that were left
   * are gone; whoever called it must be there at every instruction.
   */
  @Test
  void exceptions() throws IOException {
    List<String> command = List.of("g++", "-std=c++17", "-fomit-frame-pointer", "-O2");
    step(command, "chains.cc", "exception", "0");
    System.out.println(
        "exceptions: " + steps + " instructions, " + right + " right, lost: " + lost);
    assertThat(steps).isEqualTo(MOST_STEPS);
    assertThat(lost.keySet()).isSubsetOf(UNDESCRIBED);
    assertThat(right).isBetween(steps * 9 / 10, steps - 1_000);
  }

  private void step(List<String> compiler, String source, String... arguments) throws IOException {
    Path program = Fixtures.file("stepped");
    List<String> command = new ArrayList<>(compiler);
    command.add(Path.of("src/test/targets", source).toAbsolutePath().toString());
    command.addAll(List.of("-o", program.toString()));
    Fixtures.run(command.toArray(String[]::new));
    List<String> stepped =
        new ArrayList<>(List.of(Programs.compiled("stepper").toString(), program.toString()));
    stepped.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(stepped).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (InputStream in = new BufferedInputStream(process.getInputStream());
        OutputStream out = process.getOutputStream()) {
      follow(in, out);
    } finally {
      process.destroyForcibly();
    }
  }

  /** LLVM's own or the one that comes with Rust. */
  private static Path folderOfLld() {
    Path llvm = Path.of("/usr/lib/llvm-19/bin");
    Path rust =
        Path.of(
            Fixtures.run("rustc", "--print", "sysroot").strip(),
            "lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld");
    Path found = Files.exists(llvm.resolve("ld.lld")) ? llvm : rust;
    Assumptions.assumeTrue(Files.exists(found.resolve("ld.lld")), "needs lld-19");
    return found;
  }

  private void follow(InputStream in, OutputStream out) throws IOException {
    long[] record = record(in);
    try (BlockedProcess process = new BlockedProcess((int) record[1], Map.of())) {
      for (; record.length > 0 && steps < MOST_STEPS; record = record(in)) {
        check(process, record);
        steps++;
        out.write(1);
        out.flush();
      }
    }
  }

  private void check(BlockedProcess process, long[] record) throws IOException {
    long pc = record[2];
    if (!process.isKnown(pc) && unmapped.put(pc, true) == null) {
      process.reload();
    }
    long[] registers = new long[16];
    System.arraycopy(record, 3, registers, 0, 16);
    BlockedProcess.Stack stack = process.unwind(Registers.all(pc, registers));
    List<String> expected = new ArrayList<>(List.of(Long.toHexString(pc)));
    for (int i = FIXED; i < record.length; i++) {
      expected.add(Long.toHexString(record[i]));
    }
    if (!stack.processAddresses().equals(expected) || stack.end() != UnwindEnd.WHOLE) {
      String blamed = blame(process, stack, expected);
      wrong.merge(blamed, 1, Integer::sum);
      if (!reachesItsEnd(stack, expected)) {
        lost.merge(blamed, 1, Integer::sum);
      }
    } else {
      right++;
    }
  }

  /** Whether the outermost frames are right: a program's start, main and whom it calls. */
  private static boolean reachesItsEnd(BlockedProcess.Stack stack, List<String> expected) {
    List<String> found = stack.processAddresses();
    int outer = Math.min(OUTERMOST, expected.size() - 1);
    return stack.end() == UnwindEnd.WHOLE
        && found.size() > outer
        && found
            .subList(found.size() - outer, found.size())
            .equals(expected.subList(expected.size() - outer, expected.size()));
  }

  /** The last frame that is right: its rule led astray, or to the end. */
  private static String blame(
      BlockedProcess process, BlockedProcess.Stack stack, List<String> expected) {
    int i = 0;
    while (i < expected.size()
        && i < stack.processAddresses().size()
        && expected.get(i).equals(stack.processAddresses().get(i))) {
      i++;
    }
    long last = Long.parseUnsignedLong(expected.get(i - 1), 16) - (i > 1 ? 1 : 0);
    int cfa = process.rule(last).cfa();
    if (cfa == UnwindRule.CFA_NONE) {
      return UNDESCRIBED;
    }
    return process.describe(last) + (i > 1 ? " caller " : " leaf ") + stack.end();
  }

  /** Empty at the end. */
  private static long[] record(InputStream in) throws IOException {
    byte[] first = in.readNBytes(8);
    if (first.length < 8) {
      return new long[0];
    }
    int callers = (int) ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN).getLong();
    int words = FIXED - 1 + callers;
    byte[] rest = in.readNBytes(8 * words);
    if (rest.length < 8 * words) {
      throw new EOFException();
    }
    long[] record = new long[words + 1];
    record[0] = callers;
    ByteBuffer.wrap(rest).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(record, 1, words);
    return record;
  }
}
