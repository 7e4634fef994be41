package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.error.UnsupportedException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.linux.SyscallException;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.Root;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Programs on kernel functions, where the kernel lets us; else that it says so. */
@ExtendWith(NoLeaks.class)
@OnEveryKernel
class FentryTest {
  private static final LoadOptions OPTIONS = LoadOptions.of(KernelTypes.running());

  @BeforeAll
  static void root() {
    Root.isNeeded();
  }

  private static CollectionSpec spec(String... programs) {
    CollectionSpec spec = TestObjects.spec("fentry");
    for (String program : programs) {
      spec.program(program).autoload(true);
    }
    return spec;
  }

  private static void read77() {
    try (FileInputStream zero = new FileInputStream("/dev/zero")) {
      assertThat(zero.read(new byte[77])).isEqualTo(77);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void entryAndExit() {
    if (!Feature.FENTRY.present()) {
      assertThatThrownBy(() -> Collection.load(spec("on_entry"), OPTIONS))
          .isInstanceOf(BpfException.class)
          .hasMessageContaining("program on_entry");
      assertThatThrownBy(Feature.FENTRY::require)
          .isInstanceOf(UnsupportedException.class)
          .hasMessageContaining("BPF programs at function entry and exit: needs Linux 5.5");
      return;
    }
    try (Collection collection = Collection.load(spec("on_entry", "on_exit"), OPTIONS);
        Link _ = Links.tracing(collection.program("on_entry"));
        Link _ = Links.tracing(collection.program("on_exit"))) {
      read77();
      assertThat(collection.variable("entries").get()).isEqualTo(1);
      assertThat(collection.variable("exits").get()).isEqualTo(1);
    }
  }

  @Test
  void probes() {
    try (Collection collection = Collection.load(spec("on_probe", "on_return"), OPTIONS)) {
      if (!Feature.KPROBE.present()) {
        assertThatThrownBy(() -> Links.kprobe(collection.program("on_probe"), "vfs_read", false))
            .isInstanceOf(UnsupportedException.class);
        return;
      }
      try (Link _ = Links.kprobe(collection.program("on_probe"), "vfs_read", false);
          Link _ = Links.kprobe(collection.program("on_return"), "vfs_read", true)) {
        read77();
        assertThat(collection.variable("probes").get()).isEqualTo(1);
        assertThat(collection.variable("returns").get()).isPositive();
      }
      assertThatThrownBy(() -> Links.kprobe(collection.program("on_probe"), "no_such_f", false))
          .hasMessageContaining("kprobe no_such_f");
    }
  }

  /** Machines differ in their modules; of one that has types, some function can be hooked. */
  @Test
  void functionsOfModules() {
    KernelTypes types = OPTIONS.kernelTypes();
    for (KernelTypes.Module module : types.modules()) {
      Btf btf = module.types();
      assertThat(btf.firstId()).isEqualTo(types.kernel().count());
      List<String> functions = onlyInModule(btf, types.kernel());
      if (!functions.isEmpty() && Feature.FENTRY.present()) {
        assertThat(functions).as(module.name()).anyMatch(FentryTest::canBeHooked);
      }
    }
  }

  /** Not those that are gone after initialisation, or that the kernel cannot patch. */
  private static boolean canBeHooked(String function) {
    CollectionSpec spec = spec("on_module");
    spec.program("on_module").attachTarget(function);
    try (Collection collection = Collection.load(spec, OPTIONS);
        Link _ = Links.tracing(collection.program("on_module"))) {
      return true;
    } catch (BpfException | SyscallException e) {
      return false;
    }
  }

  private static List<String> onlyInModule(Btf module, Btf kernel) {
    List<String> names = new ArrayList<>();
    for (int id = module.firstId(); id < module.count() && names.size() < 20; id++) {
      if (module.kind(id) == BtfKind.FUNC && kernel.find(module.name(id), BtfKind.FUNC) < 0) {
        names.add(module.name(id));
      }
    }
    return names;
  }
}
