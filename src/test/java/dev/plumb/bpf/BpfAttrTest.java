package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The offsets and sizes that we use for the kernel's structures, against its own types. */
class BpfAttrTest {
  private static final Map<Class<?>, String> STRUCTURES =
      Map.of(BpfInfo.ProgramInfo.class, "bpf_prog_info", BpfInfo.BtfInfo.class, "bpf_btf_info");

  private static Btf kernel;

  @BeforeAll
  static void readTypes() {
    Assumptions.assumeTrue(
        Files.isReadable(Path.of("/sys/kernel/btf/vmlinux")), "needs a kernel with BTF");
    kernel = KernelTypes.running().kernel();
  }

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
    List<KernelField> fields = fields(command);
    int union = kernel.find("bpf_attr", BtfKind.UNION);
    assertThat(all(union))
        .as("%s, a member of union bpf_attr with %s", command.getSimpleName(), fields)
        .anyMatch(
            member -> fields.stream().allMatch(field -> isThere(union, List.of(member), field)));
  }

  @ParameterizedTest
  @MethodSource("infos")
  void answersAreLaidOutAsTheKernels(Class<?> info) throws Exception {
    int structure = kernel.find(STRUCTURES.get(info), BtfKind.STRUCT);
    for (KernelField field : fields(info)) {
      assertThat(isThere(structure, all(structure), field)).as(field.toString()).isTrue();
    }
  }

  @Test
  void aWrongOffsetIsNoticed() {
    int structure = kernel.find("bpf_btf_info", BtfKind.STRUCT);
    assertThat(isThere(structure, all(structure), KernelField.u64("name", 16))).isTrue();
    assertThat(isThere(structure, all(structure), KernelField.u64("name", 8))).isFalse();
    assertThat(isThere(structure, all(structure), KernelField.u32("name", 16))).isFalse();
    assertThat(isThere(structure, all(structure), KernelField.u64("no_such", 16))).isFalse();
  }

  private static List<KernelField> fields(Class<?> structure) throws IllegalAccessException {
    List<KernelField> fields = new ArrayList<>();
    for (Field field : structure.getDeclaredFields()) {
      if (field.getType() == KernelField.class) {
        field.setAccessible(true);
        fields.add((KernelField) field.get(null));
      }
    }
    assertThat(fields).isNotEmpty();
    return fields;
  }

  private static List<Integer> all(int structure) {
    return IntStream.range(0, kernel.length(structure)).boxed().toList();
  }

  private static boolean isThere(int structure, List<Integer> members, KernelField field) {
    return find(structure, members, 0, field.path())
        .filter(place -> place.offset == field.offset() && place.size == field.size())
        .isPresent();
  }

  private record Place(long offset, long size) {}

  private static Optional<Place> find(int structure, List<Integer> members, long at, String path) {
    String first = path.split("\\.", 2)[0];
    for (int member : members) {
      long offset = at + kernel.memberBitOffset(structure, member) / 8;
      int type = kernel.skipModifiers(kernel.memberType(structure, member));
      String name = kernel.string(kernel.memberName(structure, member));
      Optional<Place> found = Optional.empty();
      if (name.equals(path)) {
        long bits = kernel.memberBitSize(structure, member);
        found = Optional.of(new Place(offset, bits > 0 ? (bits + 7) / 8 : kernel.sizeOf(type)));
      } else if (name.equals(first)) {
        found = find(type, all(type), offset, path.substring(first.length() + 1));
      } else if (name.isEmpty()) {
        found = find(type, all(type), offset, path);
      }
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
