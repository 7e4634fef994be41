package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.kernel.SyscallNames;
import dev.plumb.linux.proc.ProcStack;
import dev.plumb.linux.proc.ProcSyscall;
import dev.plumb.testing.Fixtures;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Where a thread waits in the kernel, as /proc writes it, and the names of system calls. */
class ProcThreadTest {
  @Test
  void systemCalls() {
    assertThat(syscall("running\n")).isEmpty();
    assertThat(syscall("")).isEmpty();
    assertThat(syscall("-1 0x7ffd98de17d8 0x7f4c08be22ad\n"))
        .contains(new ProcSyscall(-1, 0x7ffd98de17d8L, 0x7f4c08be22adL));
    assertThat(syscall("230 0x0 0x0 0x7ff0 0x7ff8 0x0 0x0 0x7ffd98de17d8 0x7f4c08be22ad\n"))
        .contains(new ProcSyscall(230, 0x7ffd98de17d8L, 0x7f4c08be22adL));
  }

  @Test
  void kernelStacks() {
    assertThat(stack("[<0>] futex_wait_queue+0x69/0xb0"))
        .containsExactly(new ProcStack.Entry("futex_wait_queue", 0x69, ""));
    assertThat(stack("[<0>] kvm_vcpu_block+0x44/0xc0 [kvm]"))
        .containsExactly(new ProcStack.Entry("kvm_vcpu_block", 0x44, "kvm"));
    assertThat(stack("[<0>] 0xffffffffffffffff")).isEmpty();
    assertThat(stack("")).isEmpty();
  }

  @Test
  void anythingElseIsNoFailure() {
    Random random = new Random(7);
    String letters = "0x-1 []<>+/af\nrunig";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(40); j > 0; j--) {
        text.append(letters.charAt(random.nextInt(letters.length())));
      }
      syscall(text.toString());
      stack(text.toString());
    }
  }

  /** The C library's header has the numbers of x86-64. */
  @Test
  void namesOfSystemCalls() throws Exception {
    Path source = Fixtures.file("numbers.c");
    Files.writeString(source, "#include <asm/unistd_64.h>\n");
    String macros = Fixtures.run("gcc", "-dM", "-E", source.toString());
    Matcher numbers = Pattern.compile("#define __NR_(\\w+) (\\d+)").matcher(macros);
    int count = 0;
    while (numbers.find()) {
      assertThat(SyscallNames.name(Integer.parseInt(numbers.group(2)))).isEqualTo(numbers.group(1));
      count++;
    }
    assertThat(count).isGreaterThan(300);
    assertThat(SyscallNames.name(400)).isEqualTo("system call 400");
    assertThat(SyscallNames.name(-1)).isEqualTo("system call -1");
  }

  private static Optional<ProcSyscall> syscall(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return ProcSyscall.parse(bytes, bytes.length);
  }

  private static List<ProcStack.Entry> stack(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    List<ProcStack.Entry> entries = new ArrayList<>();
    ProcStack.add(bytes, 0, bytes.length, entries);
    return entries;
  }
}
