package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.KernelField;
import dev.plumb.testing.KernelStructure;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The offsets and sizes that we use for the kernel's structures, against its own types. */
class BpfAttrTest {
  private static final Map<Class<?>, String> STRUCTURES =
      Map.of(BpfInfo.ProgramInfo.class, "bpf_prog_info", BpfInfo.BtfInfo.class, "bpf_btf_info");

  static Stream<Class<?>> commands() {
    return Arrays.stream(BpfAttr.class.getDeclaredClasses());
  }

  static Stream<Class<?>> infos() {
    return Arrays.stream(BpfInfo.class.getDeclaredClasses());
  }

  /** The union's members share names, such as map_fd; all fields of a class are in one of them. */
  @ParameterizedTest
  @MethodSource("commands")
  void commandsAreLaidOutAsTheKernels(Class<?> command) throws Exception {
    List<KernelField> fields = KernelStructure.fieldsOf(command);
    assertThat(KernelStructure.union("bpf_attr").hasInOneMember(fields))
        .as("%s, a member of union bpf_attr with %s", command.getSimpleName(), fields)
        .isTrue();
  }

  @ParameterizedTest
  @MethodSource("infos")
  void answersAreLaidOutAsTheKernels(Class<?> info) throws Exception {
    KernelStructure.struct(STRUCTURES.get(info)).assertHasFieldsOf(info);
  }

  @Test
  void aWrongOffsetIsNoticed() {
    KernelStructure structure = KernelStructure.struct("bpf_btf_info");
    assertThat(structure.has(KernelField.u64("name", 16))).isTrue();
    assertThat(structure.has(KernelField.u64("name", 8))).isFalse();
    assertThat(structure.has(KernelField.u32("name", 16))).isFalse();
    assertThat(structure.has(KernelField.u64("no_such", 16))).isFalse();
  }
}
