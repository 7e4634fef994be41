package dev.plumb.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.kernel.Kallsyms;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.testing.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class KernelNamesTest {
  private static Symbolizer with(String... lines) throws IOException {
    Path file = Fixtures.file("kallsyms-names");
    Files.write(file, List.of(lines));
    return new Symbolizer(1 << 20, UnaryOperator.identity(), () -> Kallsyms.load(file.toString()));
  }

  @Test
  void namesFunctionsOfTheKernelItsModulesAndBpf() throws IOException {
    try (Symbolizer symbolizer =
        with(
            "ffffffff81000000 T _text",
            "ffffffff81000100 t do_work",
            "ffffffff81000200 T after",
            "ffffffffc0000100 t nft_do_chain\t[nf_tables]",
            "ffffffffc0001000 t bpf_prog_5f2e_on_cpu\t[bpf]")) {
      Frame frame = symbolizer.kernel(0xffffffff81000123L);
      assertThat(frame.name()).isEqualTo("do_work");
      assertThat(frame.kind()).isEqualTo(FrameKind.KERNEL);
      assertThat(frame.module()).isEqualTo("[kernel]");
      assertThat(frame.offset()).isEqualTo(0x23);
      assertThat(frame.elfAddress()).isEqualTo(0xffffffff81000123L);
      assertThat(frame.marked()).isEqualTo("do_work_[k]");
      assertThat(symbolizer.kernel(0xffffffff81000200L, true).name()).isEqualTo("do_work");
      assertThat(symbolizer.kernel(0xffffffffc0000110L).module()).isEqualTo("nf_tables");
      assertThat(symbolizer.kernel(0xffffffffc0001010L).name()).isEqualTo("bpf_prog_5f2e_on_cpu");
      assertThat(symbolizer.kernelProblem()).isEmpty();
    }
  }

  @Test
  void saysWhyThereAreNoNames() throws IOException {
    try (Symbolizer symbolizer = with("0000000000000000 T _text")) {
      Frame frame = symbolizer.kernel(0xffffffff81000123L);
      assertThat(frame.named()).isFalse();
      assertThat(frame.name()).isEqualTo("[unknown in [kernel]+0xffffffff81000123]");
      assertThat(symbolizer.kernelProblem().orElseThrow()).contains("kptr_restrict");
      assertThat(symbolizer.unnamedCounts()).containsEntry(UnnamedReason.KERNEL, 1L);
    }
  }

  @Test
  void readsKernelSymbolsOnceAndOnlyWhenNeeded() {
    AtomicInteger loads = new AtomicInteger();
    try (Symbolizer symbolizer =
        new Symbolizer(
            1 << 20,
            UnaryOperator.identity(),
            () -> {
              loads.incrementAndGet();
              return Kallsyms.load("/does/not/exist");
            })) {
      assertThat(loads).hasValue(0);
      symbolizer.kernel(1);
      symbolizer.kernel(2);
      assertThat(loads).hasValue(1);
    }
  }

  @Test
  void namesAFunctionOfTheRunningKernel() throws IOException {
    try (Symbolizer symbolizer = new Symbolizer()) {
      Assumptions.assumeTrue(symbolizer.kernelProblem().isEmpty());
      String line =
          Files.readAllLines(Path.of("/proc/kallsyms")).stream()
              .filter(l -> l.endsWith(" T vfs_read"))
              .findFirst()
              .orElseThrow();
      long address = Long.parseUnsignedLong(line.split(" ")[0], 16);
      assertThat(symbolizer.kernel(address).name()).isEqualTo("vfs_read");
      Frame inside = symbolizer.kernel(address + 17);
      assertThat(inside.name()).isEqualTo("vfs_read");
      assertThat(inside.offset()).isEqualTo(17);
      assertThat(inside.module()).isEqualTo("[kernel]");
    }
  }
}
