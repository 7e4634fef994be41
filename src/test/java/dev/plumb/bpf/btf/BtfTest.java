package dev.plumb.bpf.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.testing.OnEveryKernel;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The reader against bpftool on the kernel's own types, and against small ones made here. */
class BtfTest {
  private static final File VMLINUX = new File("/sys/kernel/btf/vmlinux");

  @Test
  void readsTheKernelsTypesAsBpftoolDoes() throws IOException {
    Btf btf = KernelTypes.running().kernel();
    Process bpftool =
        new ProcessBuilder("bpftool", "btf", "dump", "file", VMLINUX.toString()).start();
    Pattern type = Pattern.compile("\\[(\\d+)] (\\w+) '(.*?)'.*");
    Map<String, Integer> kinds = new TreeMap<>();
    int count = 0;
    for (String line : new String(bpftool.getInputStream().readAllBytes()).lines().toList()) {
      Matcher matcher = type.matcher(line);
      if (matcher.matches()) {
        int id = Integer.parseInt(matcher.group(1));
        String kind = matcher.group(2).toLowerCase();
        String name = matcher.group(3).equals("(anon)") ? "" : matcher.group(3);
        assertThat(BtfKind.name(btf.kind(id)).replace("pointer", "ptr")).isEqualTo(kind);
        assertThat(btf.name(id)).isEqualTo(name);
        kinds.merge(kind, 1, Integer::sum);
        count++;
      }
    }
    assertThat(btf.count() - 1).isEqualTo(count).isGreaterThan(50_000);
    assertThat(kinds).containsKeys("struct", "func", "typedef", "enum", "array");
  }

  @Test
  @OnEveryKernel
  void findsWhatIsThere() {
    Btf btf = KernelTypes.running().kernel();
    int task = btf.find("task_struct", BtfKind.STRUCT);
    assertThat(btf.name(task)).isEqualTo("task_struct");
    assertThat(btf.kind(task)).isEqualTo(BtfKind.STRUCT);
    assertThat(btf.sizeOf(task)).isGreaterThan(1000);
    assertThat(btf.find("task_struct", BtfKind.UNION)).isEqualTo(-1);
    assertThat(btf.find("no_such_type", BtfKind.STRUCT)).isEqualTo(-1);
    for (int id = 1; id < btf.count(); id += 97) {
      if (!btf.isAnonymous(id) && btf.kind(id) == BtfKind.FUNC) {
        int found = btf.find(btf.name(id), BtfKind.FUNC);
        assertThat(btf.name(found)).isEqualTo(btf.name(id));
      }
    }
  }

  @Test
  @OnEveryKernel
  void mappedOrReadInPiecesItIsTheSame() {
    Btf mapped = KernelTypes.running().kernel();
    Btf read = KernelTypes.readPieces(VMLINUX, null);
    assertThat(read.rawWords()).isEqualTo(mapped.rawWords());
    assertThat(read.rawStrings()).isEqualTo(mapped.rawStrings());
  }

  @Test
  void whatIsWrittenIsRead() {
    BtfWriter writer = new BtfWriter();
    int integer = writer.add(BtfKind.INT, writer.string("int"), false, 0, 4, 1 << 24 | 32);
    int array = writer.add(BtfKind.ARRAY, 0, false, 0, 0, integer, integer, 5);
    int struct =
        writer.add(
            BtfKind.STRUCT,
            writer.string("pair"),
            true,
            2,
            24,
            writer.string("first"),
            array,
            0,
            writer.string("bits"),
            integer,
            3 << 24 | 165);
    int typedef = writer.add(BtfKind.TYPEDEF, writer.string("pair_t"), false, 0, struct);
    int wide =
        writer.add(
            BtfKind.ENUM64, writer.string("wide"), true, 1, 8, writer.string("MINUS"), -2, -1);
    int pointer = writer.add(BtfKind.PTR, 0, false, 0, typedef);
    Btf btf = Btf.of(Blobs.of(writer));
    assertThat(btf.count()).isEqualTo(7);
    assertThat(btf.sizeOf(array)).isEqualTo(20);
    assertThat(btf.sizeOf(typedef)).isEqualTo(24);
    assertThat(btf.sizeOf(pointer)).isEqualTo(8);
    assertThat(btf.isSignedInt(integer)).isTrue();
    assertThat(btf.string(btf.memberName(struct, 1))).isEqualTo("bits");
    assertThat(btf.memberBitOffset(struct, 1)).isEqualTo(165);
    assertThat(btf.memberBitSize(struct, 1)).isEqualTo(3);
    assertThat(btf.memberBitSize(struct, 0)).isZero();
    assertThat(btf.enumeratorValue(wide, 0)).isEqualTo(-2);
    assertThat(btf.describe(typedef)).isEqualTo("typedef pair_t");
    assertThat(btf.describe(array)).contains("anonymous");
    assertThat(btf.skipModifiers(typedef)).isEqualTo(struct);
    Btf again = Btf.of(Blobs.of(new BtfWriter(btf)));
    assertThat(again.rawWords()).isEqualTo(btf.rawWords());
    assertThat(again.rawStrings()).isEqualTo(btf.rawStrings());
    assertThatThrownBy(() -> btf.memberName(struct, 2)).isInstanceOf(BpfException.class);
    assertThatThrownBy(() -> btf.kind(7)).isInstanceOf(BpfException.class);
    assertThatThrownBy(() -> btf.string(1 << 20)).isInstanceOf(BpfException.class);
    assertThatThrownBy(() -> btf.sizeOf(0)).isInstanceOf(BpfException.class);
  }

  @Test
  void modulesContinueTheKernelsNumbers() {
    BtfWriter writer = new BtfWriter();
    int integer = writer.add(BtfKind.INT, writer.string("int"), false, 0, 4, 1 << 24 | 32);
    Btf base = Btf.of(Blobs.of(writer));
    Btf split =
        Btf.split(Blobs.split(base.rawStrings().length, "module_thing", "field", integer), base);
    assertThat(split.firstId()).isEqualTo(2);
    assertThat(split.count()).isEqualTo(3);
    assertThat(split.name(2)).isEqualTo("module_thing");
    assertThat(split.name(1)).isEqualTo("int");
    assertThat(split.string(split.memberName(2, 0))).isEqualTo("field");
    assertThat(split.sizeOf(split.memberType(2, 0))).isEqualTo(4);
    assertThat(split.find("module_thing", BtfKind.STRUCT)).isEqualTo(2);
    assertThat(split.find("int", BtfKind.INT)).isEqualTo(1);
    assertThat(base.find("module_thing", BtfKind.STRUCT)).isEqualTo(-1);
  }

  @Test
  void relocatesByAModulesTypesWhereTheKernelHasNone() {
    BtfWriter object = new BtfWriter();
    int integer = object.add(BtfKind.INT, object.string("int"), false, 0, 4, 1 << 24 | 32);
    int struct =
        object.add(
            BtfKind.STRUCT,
            object.string("module_thing___mine"),
            false,
            1,
            4,
            object.string("field"),
            integer,
            0);
    Btf local = Btf.of(Blobs.of(object));
    BtfWriter kernel = new BtfWriter();
    kernel.add(BtfKind.INT, kernel.string("int"), false, 0, 4, 1 << 24 | 32);
    Btf base = Btf.of(Blobs.of(kernel));
    Btf split = Btf.split(Blobs.split(base.rawStrings().length, "module_thing", "field", 1), base);
    CoreRelocation relocation = CoreRelocation.of(0, struct, "0:0", 0);
    CoreRelocator with =
        new CoreRelocator(
            local, KernelTypes.of(base, List.of(KernelTypes.Module.of("module", split))));
    assertThat(with.answer(relocation).value()).isEqualTo(8);
    CoreRelocator without = new CoreRelocator(local, KernelTypes.of(base));
    assertThat(without.answer(relocation).missing()).isTrue();
    assertThat(without.answer(relocation).what()).isEqualTo("struct module_thing___mine.field");
  }

  @Test
  void twoTypesOfOneNameMustAgree() {
    BtfWriter object = new BtfWriter();
    int integer = object.add(BtfKind.INT, object.string("int"), false, 0, 4, 1 << 24 | 32);
    int twice = pair(object, integer, 0, 32);
    Btf local = Btf.of(Blobs.of(object));
    BtfWriter kernel = new BtfWriter();
    int kernelInt = kernel.add(BtfKind.INT, kernel.string("int"), false, 0, 4, 1 << 24 | 32);
    pair(kernel, kernelInt, 64, 96);
    pair(kernel, kernelInt, 64, 128);
    CoreRelocator relocator = new CoreRelocator(local, KernelTypes.of(Btf.of(Blobs.of(kernel))));
    assertThat(relocator.answer(CoreRelocation.of(0, twice, "0:0", 0)).value()).isEqualTo(8);
    assertThatThrownBy(() -> relocator.answer(CoreRelocation.of(0, twice, "0:1", 0)))
        .isInstanceOf(BpfException.class)
        .hasMessageContaining("two types for struct pair.second that differ");
  }

  private static int pair(BtfWriter writer, int type, int first, int second) {
    return writer.add(
        BtfKind.STRUCT,
        writer.string("pair"),
        false,
        2,
        32,
        writer.string("first"),
        type,
        first,
        writer.string("second"),
        type,
        second);
  }

  @Test
  void essentialNames() {
    assertThat(essential("task_struct")).isEqualTo("task_struct");
    assertThat(essential("task_struct___old")).isEqualTo("task_struct");
    assertThat(essential("a___b___c")).isEqualTo("a___b");
    assertThat(essential("___a")).isEqualTo("___a");
    assertThat(essential("a___")).isEqualTo("a___");
    assertThat(essential("a____b")).isEqualTo("a____b");
    assertThat(essential("")).isEqualTo("");
    assertThat(hash("task_struct___old")).isEqualTo(hash("task_struct"));
    assertThat(hash("a____b")).isNotEqualTo(hash("a"));
  }

  private static String essential(String name) {
    byte[] bytes = (name + "\0").getBytes();
    return name.substring(0, EssentialNames.essentialLength(bytes, 0));
  }

  private static int hash(String name) {
    return EssentialNames.essentialHash((name + "\0").getBytes(), 0);
  }

  @Test
  void loopsAndNonsenseAreRefused() {
    BtfWriter writer = new BtfWriter();
    writer.add(BtfKind.TYPEDEF, writer.string("a"), false, 0, 2);
    writer.add(BtfKind.TYPEDEF, writer.string("b"), false, 0, 1);
    writer.add(BtfKind.ARRAY, 0, false, 0, 0, 3, 3, 2);
    Btf btf = Btf.of(Blobs.of(writer));
    assertThatThrownBy(() -> btf.skipModifiers(1)).hasMessageContaining("never end");
    assertThatThrownBy(() -> btf.sizeOf(3)).isInstanceOf(BpfException.class);
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> Btf.of(arena.allocate(3))).isInstanceOf(BpfException.class);
      assertThatThrownBy(() -> Btf.of(arena.allocate(30)))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("magic");
      MemorySegment blob = arena.allocate(24);
      blob.set(ValueLayout.JAVA_INT, 0, 0xeb9f | 1 << 16);
      blob.set(ValueLayout.JAVA_INT, 4, 24);
      blob.set(ValueLayout.JAVA_INT, 12, 400);
      assertThatThrownBy(() -> Btf.of(blob))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("types end at 424 of 24 bytes");
    }
  }
}
