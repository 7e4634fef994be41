package dev.plumb.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.linux.KernelField;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

/** A structure or union of the running kernel, to compare our {@link KernelField}s with. */
public final class KernelStructure {
  private static Btf kernel;

  private final int type;

  private KernelStructure(int type) {
    this.type = type;
  }

  public static KernelStructure struct(String name) {
    return new KernelStructure(kernel().find(name, BtfKind.STRUCT));
  }

  public static KernelStructure union(String name) {
    return new KernelStructure(kernel().find(name, BtfKind.UNION));
  }

  private static synchronized Btf kernel() {
    if (kernel == null) {
      Assumptions.assumeTrue(
          Files.isReadable(Path.of("/sys/kernel/btf/vmlinux")), "needs a kernel with BTF");
      kernel = KernelTypes.running().kernel();
    }
    return kernel;
  }

  /** The fields that a class declares as constants; at least one. */
  public static List<KernelField> fieldsOf(Class<?> layout) throws IllegalAccessException {
    List<KernelField> fields = new ArrayList<>();
    for (Field field : layout.getDeclaredFields()) {
      if (field.getType() == KernelField.class) {
        field.setAccessible(true);
        fields.add((KernelField) field.get(null));
      }
    }
    assertThat(fields).isNotEmpty();
    return fields;
  }

  /** Fails unless all fields of a class are where the kernel has them. */
  public void assertHasFieldsOf(Class<?> layout) throws IllegalAccessException {
    for (KernelField field : fieldsOf(layout)) {
      assertThat(has(field)).as(field.toString()).isTrue();
    }
  }

  /** Whether there is a field of that name, at that offset, of that size. */
  public boolean has(KernelField field) {
    return has(all(type), field);
  }

  /** Whether one member has all fields: those of a union share names. */
  public boolean hasInOneMember(List<KernelField> fields) {
    return all(type).stream()
        .anyMatch(member -> fields.stream().allMatch(field -> has(List.of(member), field)));
  }

  private boolean has(List<Integer> members, KernelField field) {
    return find(type, members, 0, field.path())
        .filter(place -> place.offset == field.offset() && place.size == field.size())
        .isPresent();
  }

  private static List<Integer> all(int structure) {
    return IntStream.range(0, kernel.length(structure)).boxed().toList();
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
