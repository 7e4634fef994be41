package dev.plumb.collect.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.collect.code.NamePattern;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.probe.ProbeSpec.KernelFunction;
import dev.plumb.collect.probe.ProbeSpec.KernelWay;
import dev.plumb.collect.probe.ProbeSpec.UserFunction;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeSpecTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "event:sched:sched_switch",
        "syscall:read",
        "uprobe:libc.so.6:malloc",
        "uprobe:/usr/bin/bash:readline",
        "uretprobe:c:free",
        "uprobe:./a.out:ns::f(int)",
        "usdt:libc:libc:setjmp",
        "kprobe:vfs_read",
        "kretprobe:vfs_read",
        "fentry:vfs_read",
        "fexit:vfs_read",
        "sw:page-faults",
        "hw:cycles",
        "vfs_read",
      })
  void isWordedAsItWasRead(String text) {
    assertThat(ProbeSpec.parse(text).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "p:c:malloc, uretprobe:c:malloc",
    "t:sched:sched_switch, event:sched:sched_switch",
    "u:libc:setjmp, usdt:libc:*:setjmp",
    "usdt:libc:setjmp, usdt:libc:*:setjmp",
    "sw:cs, sw:context-switches",
    "hw:branch-instructions, hw:branches",
  })
  void otherSpellings(String text, String same) {
    assertThat(ProbeSpec.parse(text)).isEqualTo(ProbeSpec.parse(same));
  }

  @Test
  void offsets() {
    assertThat(ProbeSpec.parse("uprobe:a:f+0x10")).isEqualTo(new UserFunction("a", "f", 16, false));
    assertThat(ProbeSpec.parse("uprobe:a:f+010")).isEqualTo(new UserFunction("a", "f", 10, false));
    assertThat(ProbeSpec.parse("uprobe:a:X::operator+"))
        .isEqualTo(new UserFunction("a", "X::operator+", 0, false));
    assertThat(ProbeSpec.parse("uprobe:a:X::operator++"))
        .isEqualTo(new UserFunction("a", "X::operator++", 0, false));
  }

  @Test
  void aWordAloneIsATimedKernelFunction() {
    assertThat(ProbeSpec.parse("vfs_read"))
        .isEqualTo(new KernelFunction("vfs_read", KernelWay.ANY, true));
    assertThat(ProbeSpec.parse("vfs_read").timed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "event:sched, event:CATEGORY:NAME",
    "event:a:b:c, event:CATEGORY:NAME",
    "event::x, plumb list events",
    "syscall:, syscall:NAME",
    "syscall:../x, syscall:NAME",
    "uprobe:libc, uprobe:LIB:FUNCTION",
    "uprobe::f, uprobe:LIB:FUNCTION",
    "uretprobe:libc:, uretprobe:LIB:FUNCTION",
    "uretprobe:libc:f+8, write uprobe:",
    "usdt:libc, usdt:LIB:PROVIDER:NAME",
    "usdt::a:b, usdt:LIB:PROVIDER:NAME",
    "kprobe:, a kernel function's name",
    "kprobe:vfs_*, a kernel function's name",
    "of-cpu, a kernel function's name",
    "sw:nothing, page-faults",
    "hw:nothing, cycles",
    "upprobe:a:b, uprobe:LIB:FUNCTION",
  })
  void refusalsSayWhatToWrite(String text, String remedy) {
    assertThatThrownBy(() -> ProbeSpec.parse(text))
        .isInstanceOf(ProbeException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining(remedy);
  }

  @Test
  void anyTextIsReadOrRefused() {
    Random random = new Random(7);
    String letters = "::::upeventskfrcahw*?+0x19/._- \u0000é";
    int read = 0;
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder(random.nextBoolean() ? "uprobe:" : "");
      for (int n = random.nextInt(20); n > 0; n--) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      try {
        ProbeSpec spec = ProbeSpec.parse(text.toString());
        assertThat(ProbeSpec.parse(spec.text())).isEqualTo(spec);
        read++;
      } catch (ProbeException e) {
        // the only way to refuse
      }
    }
    assertThat(read).isBetween(1000, 49_000);
  }

  @ParameterizedTest
  @CsvSource({
    "mem*, memcpy, true",
    "mem*, xmem, false",
    "*cpy, memcpy, true",
    "m?mcpy, memcpy, true",
    "m*c*y, memcpy, true",
    "m*c*z, memcpy, false",
    "*, x, true",
    "?, xx, false",
    "a**b, ab, true",
  })
  void patterns(String pattern, String name, boolean matches) {
    assertThat(new NamePattern(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void aPatternOfStarsEndsSoon() {
    String name = "a".repeat(10_000);
    long start = System.nanoTime();
    assertThat(new NamePattern("*a".repeat(200) + "b").matches(name)).isFalse();
    assertThat(System.nanoTime() - start).isLessThan(2_000_000_000L);
  }
}
