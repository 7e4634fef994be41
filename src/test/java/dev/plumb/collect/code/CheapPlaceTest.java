package dev.plumb.collect.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.testing.Programs;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where probes may go, held against what objdump makes of every function of real libraries. */
class CheapPlaceTest {
  /** As objdump writes a line: the address, the bytes, the instruction. */
  private static final Pattern LINE =
      Pattern.compile(" *([0-9a-f]+):\t([0-9a-f ]+?) *\t(?:(?:bnd|notrack) )?(\\S+) *(.*)");

  /** The registers that hold arguments, the stack, and what frames are found by; in all widths. */
  private static final Pattern TAKEN =
      Pattern.compile(
          "%(r|e|)(di|si|dx|cx|sp|bp|bx)|%r[89][dwb]?|%(dil|sil|[dcb][lh]|spl|bpl)|.*\\(.*");

  private static final List<String> ONLY_LOOK =
      List.of("test", "cmp", "endbr", "testb", "cmpb", "cmpl");

  private record Instruction(byte[] bytes, String name, String operands) {
    boolean isCarriedOut() {
      return name.startsWith("push")
          || name.startsWith("j") && !name.startsWith("jmp")
          || name.equals("nop") && operands.isEmpty();
    }

    boolean isHarmless() {
      String target = operands.substring(operands.lastIndexOf(',') + 1);
      return ONLY_LOOK.stream().anyMatch(name::startsWith) || !TAKEN.matcher(target).matches();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/lib/x86_64-linux-gnu/libc.so.6",
        "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
        "/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4",
        "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2",
        "/lib/ld-musl-x86_64.so.1",
      })
  void everyFunctionOfRealLibraries(Path library) {
    assumeTrue(Files.exists(library), library + " is not installed; ./check does that");
    NavigableMap<Long, Instruction> instructions = disassembled(library);
    int later = 0;
    Map<String, Long> functions = functions(library);
    for (Map.Entry<String, Long> function : functions.entrySet()) {
      long entry = function.getValue();
      int offset = CheapPlace.of(code(instructions, entry));
      if (offset > 0) {
        later++;
        String where = function.getKey() + "+" + offset;
        assertThat(instructions).as(where).containsKey(entry + offset);
        assertThat(instructions.get(entry + offset).isCarriedOut()).as(where).isTrue();
        instructions
            .subMap(entry, entry + offset)
            .forEach((at, before) -> assertThat(before.isHarmless()).as(where).isTrue());
      }
    }
    assertThat(functions).containsKeys("malloc", "free");
    assertThat(later).as("functions with a cheap place").isPositive();
  }

  /** What it is for: the functions that cost. */
  @Test
  void theLibrarysMallocAndFree() {
    Path library = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
    assumeTrue(Files.exists(library), "no Debian on x86-64");
    NavigableMap<Long, Instruction> instructions = disassembled(library);
    Map<String, Long> functions = functions(library);
    for (String name : List.of("malloc", "free", "calloc", "realloc")) {
      long entry = functions.get(name);
      int offset = CheapPlace.of(code(instructions, entry));
      assertThat(instructions.get(entry + offset).isCarriedOut()).as(name).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "55, 0, push %rbp",
    "f30f1efa55, 4, endbr64; push",
    "f30f1efa4157, 4, endbr64; push %r15",
    "4885ff7410, 3, test %rdi; je",
    "4885ff0f8410000000, 3, test %rdi; je far",
    "31c055, 2, xor %eax; push",
    "33c755, 2, xor %edi into %eax; push",
    "33f855, 0, xor %eax into %edi",
    "31ff55, 0, xor %edi",
    "4889f855, 3, mov %rdi to %rax; push",
    "4889c755, 0, mov %rax to %rdi",
    "488bf855, 0, mov %rax to %rdi the other way",
    "488bc755, 3, mov %rdi to %rax the other way; push",
    "4989fa55, 3, mov %rdi to %r10; push",
    "4989f855, 0, mov %rdi to %r8",
    "4883ff0a7701, 4, cmp $10 %rdi; ja",
    "4881ff0000010055, 7, cmp $65536 %rdi; push",
    "4883ec0855, 0, sub $8 %rsp",
    "488d470855, 4, lea 8(%rdi) to %rax; push",
    "488d7f0855, 0, lea 8(%rdi) to %rdi",
    "488d050000000055, 0, lea of an address to %rax",
    "488d042455, 0, lea (%rsp) to %rax: more than a register",
    "4889e555, 0, mov %rsp to %rbp",
    "488b070055, 0, mov (%rdi) to %rax: may fault",
    "90, 0, nop",
    "c3, 0, ret",
    "e800000000, 0, call",
    "f30f1efa, 0, endbr64 and no more",
    "48, 0, half an instruction",
    "'', 0, nothing",
  })
  void byBytes(String code, int offset, String what) {
    byte[] bytes = HexFormat.of().parseHex(code);
    assertThat(CheapPlace.of(MemorySegment.ofArray(bytes))).as(what).isEqualTo(offset);
  }

  /** Files are hostile: whatever stands there, the place is within it. */
  @Test
  void anyBytes() {
    Random random = new Random(1);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      assertThat(CheapPlace.of(MemorySegment.ofArray(bytes))).isBetween(0, 32);
    }
  }

  private static MemorySegment code(NavigableMap<Long, Instruction> instructions, long entry) {
    byte[] code = new byte[64];
    int length = 0;
    for (Instruction instruction : instructions.tailMap(entry, true).values()) {
      if (length + instruction.bytes().length > 32) {
        break;
      }
      System.arraycopy(instruction.bytes(), 0, code, length, instruction.bytes().length);
      length += instruction.bytes().length;
    }
    return MemorySegment.ofArray(code).asSlice(0, length);
  }

  private static NavigableMap<Long, Instruction> disassembled(Path library) {
    NavigableMap<Long, Instruction> all = new TreeMap<>();
    Programs.run("objdump", "-d", "-w", "--section=.text", library.toString())
        .lines()
        .forEach(
            line -> {
              Matcher matcher = LINE.matcher(line);
              if (matcher.matches()) {
                byte[] bytes = HexFormat.of().parseHex(matcher.group(2).replace(" ", ""));
                all.put(
                    Long.parseLong(matcher.group(1), 16),
                    new Instruction(bytes, matcher.group(3), matcher.group(4).strip()));
              }
            });
    return all;
  }

  private static Map<String, Long> functions(Path library) {
    Map<String, Long> functions = new HashMap<>();
    Programs.run("nm", "-D", "--defined-only", library.toString())
        .lines()
        .map(line -> line.split("[ @]"))
        .filter(words -> words[1].equalsIgnoreCase("t") || words[1].equalsIgnoreCase("w"))
        .forEach(words -> functions.put(words[2], Long.parseLong(words[0], 16)));
    return functions;
  }
}
