package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Descriptors and mappings are given back once, and counted. */
class OwnershipTest {
  @TempDir Path folder;

  @Test
  void aDescriptorIsClosedOnce() {
    int before = Fd.openCount();
    Fd first = SystemCalls.eventfd();
    int number = first.number();
    assertThat(Fd.openCount()).isEqualTo(before + 1);
    assertThat(first).hasToString("fd " + number);
    first.close();
    assertThat(first).hasToString("fd " + number + " (closed)");
    // The kernel gives the lowest free number, so this is most likely the same one.
    try (Fd second = SystemCalls.eventfd()) {
      first.close();
      assertThat(Path.of("/proc/self/fd/" + second.number())).exists();
      assertThat(Fd.openCount()).isEqualTo(before + 1);
    }
    assertThat(Fd.openCount()).isEqualTo(before);
  }

  @Test
  void aClosedDescriptorHasNoNumber() {
    Fd fd = SystemCalls.eventfd();
    fd.close();
    assertThatThrownBy(fd::number)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is closed");
    assertThatThrownBy(() -> new Fd(-9)).hasMessage("fd -9");
  }

  @Test
  void aMappingIsTheFile() throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[8192]);
    int before = MappedMemory.openCount();
    try (Fd fd = SystemCalls.open(file.toString(), SystemCalls.O_RDWR)) {
      MappedMemory memory =
          SystemCalls.mmap(
              fd,
              4096,
              SystemCalls.PROT_READ | SystemCalls.PROT_WRITE,
              SystemCalls.MAP_SHARED,
              4096);
      assertThat(MappedMemory.openCount()).isEqualTo(before + 1);
      memory.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
      assertThat(Files.readAllBytes(file)[4096 + 5]).isEqualTo((byte) 42);
      String range =
          "%x-%x".formatted(memory.segment().address(), memory.segment().address() + 4096);
      assertThat(Files.readString(Path.of("/proc/self/maps"))).contains(range);
      memory.close();
      assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain(file.toString());
      memory.close();
      assertThat(MappedMemory.openCount()).isEqualTo(before);
    }
  }

  @Test
  void aMappingThatIsRefusedSaysWhatWasAsked() {
    try (Fd fd = SystemCalls.eventfd()) {
      assertThatThrownBy(
              () -> SystemCalls.mmap(fd, 4096, SystemCalls.PROT_READ, SystemCalls.MAP_SHARED, 8192))
          .isInstanceOf(SyscallException.class)
          .hasMessage("mmap(4096 bytes of " + fd + " at 8192): ENODEV");
    }
  }
}
