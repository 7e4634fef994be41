package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.CoreRelocation;
import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.Extern;
import dev.plumb.bpf.object.Instruction;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.ProgramLinker;
import dev.plumb.testing.Root;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Relocates programs by the types of made-up kernels, whose fields have moved, changed size or
 * gone, and compares each instruction with what libbpf makes of the same.
 */
class CoreOracleTest {
  private static final int FIRST_POISON = 195896080;

  @ParameterizedTest
  @ValueSource(strings = {"-DKERNEL_ONE", "-DKERNEL_TWO", "-DKERNEL_NONE"})
  void relocatesAsLibbpfDoes(String kernel) {
    Root.isNeeded();
    Path types = TestObjects.compile("core_kernel", kernel);
    Map<String, long[]> theirs = theirs(TestObjects.compile("core"), types);
    Map<String, long[]> ours = relocate(TestObjects.spec("core"), types);
    assertThat(ours.keySet()).isEqualTo(theirs.keySet()).hasSize(8);
    theirs.forEach(
        (program, code) -> assertThat(hex(ours.get(program))).as(program).isEqualTo(hex(code)));
  }

  @Test
  void everyKindOfRelocationIsThere() {
    Set<CoreRelocation.Kind> kinds = EnumSet.noneOf(CoreRelocation.Kind.class);
    TestObjects.spec("core").programs().values().stream()
        .flatMap(program -> program.code().coreRelocations().stream())
        .forEach(relocation -> kinds.add(relocation.kind()));
    assertThat(kinds).containsExactly(CoreRelocation.Kind.values());
  }

  private static Map<String, long[]> theirs(Path object, Path types) {
    Map<String, long[]> programs = new TreeMap<>();
    String output =
        TestObjects.run(
            List.of(
                TestObjects.program("relocate").toString(), object.toString(), types.toString()));
    output
        .lines()
        .filter(line -> !line.startsWith("libbpf:"))
        .forEach(
            line -> {
              String[] words = line.split(" ");
              long[] code = new long[words.length - 1];
              for (int i = 0; i < code.length; i++) {
                code[i] = Long.parseUnsignedLong(words[i + 1], 16);
              }
              programs.put(words[0], normal(code));
            });
    return programs;
  }

  static Map<String, long[]> relocate(CollectionSpec spec, Path types) {
    ProgramLinker linker =
        new ProgramLinker(
            new CoreRelocator(spec.types(), KernelTypes.of(TestObjects.types(types))),
            new ProgramLinker.References() {
              @Override
              public int mapFd(MapSpec map) {
                return 3;
              }

              @Override
              public ProgramLinker.Resolved resolve(Extern extern) {
                return new ProgramLinker.Resolved.Missing();
              }
            });
    Map<String, long[]> programs = new TreeMap<>();
    spec.programs()
        .forEach(
            (name, program) ->
                programs.put(name, normal(linker.link(program.code()).instructions())));
    return programs;
  }

  /** Without descriptors of maps and without the numbers of poisoned instructions. */
  private static long[] normal(long[] code) {
    for (int i = 0; i < code.length; i++) {
      int immediate = Instruction.immediate(code[i]);
      boolean poison =
          Instruction.opcode(code[i]) == Instruction.CALL
              && immediate >= FIRST_POISON
              && immediate < FIRST_POISON + 1000;
      if (Instruction.isWideLoad(code[i]) && Instruction.src(code[i]) != 0 || poison) {
        code[i] = Instruction.withImmediate(code[i], 0);
      }
    }
    return code;
  }

  private static List<String> hex(long[] code) {
    return java.util.Arrays.stream(code).mapToObj("%016x"::formatted).toList();
  }
}
