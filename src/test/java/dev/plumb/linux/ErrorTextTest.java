package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A failure says the call, its arguments, errno by name, and what to do. */
class ErrorTextTest {
  /** Against the kernel's own headers. */
  @Test
  void namesAreThoseOfTheHeaders() throws IOException {
    Map<Integer, String> names = new HashMap<>();
    Pattern define = Pattern.compile("#define\\s+(E\\w+)\\s+(\\d+)\\b.*");
    for (String header : List.of("errno-base.h", "errno.h")) {
      for (String line : Files.readAllLines(Path.of("/usr/include/asm-generic", header))) {
        Matcher matcher = define.matcher(line);
        if (matcher.matches()) {
          names.put(Integer.parseInt(matcher.group(2)), matcher.group(1));
        }
      }
    }
    assertThat(names).hasSizeGreaterThan(100);
    names.forEach((number, name) -> assertThat(Errno.name(number)).isIn(name, "errno " + number));
    for (int number = 1; number <= 40; number++) {
      assertThat(Errno.name(number)).isEqualTo(names.get(number));
    }
    assertThat(Errno.name(Errno.ENOTSUPP)).isEqualTo("ENOTSUPP");
    assertThat(Errno.name(-1)).isEqualTo("errno -1");
  }

  @Test
  void aFailedCallShowsItsArguments() {
    assertThatThrownBy(() -> SystemCalls.open("/no/such/file", SystemCalls.O_RDWR))
        .isInstanceOf(SyscallException.class)
        .hasMessage("open(\"/no/such/file\", 02): ENOENT");
    assertThatThrownBy(() -> NamespaceCalls.detachedMount("nosuchfs"))
        .isInstanceOf(SyscallException.class)
        .hasMessageStartingWith("fsopen(\"nosuchfs\"): E");
    SyscallException failure = new SyscallException("f(1)", Errno.ENOENT, "look elsewhere");
    assertThat(failure).hasMessage("f(1): ENOENT; look elsewhere");
    assertThat(failure.call()).isEqualTo("f(1)");
    assertThat(failure.errno()).isEqualTo(Errno.ENOENT);
  }

  @ParameterizedTest
  @CsvSource({
    "1, root", // EPERM
    "13, plumb doctor", // EACCES
    "24, ulimit -n", // EMFILE
    "28, disk space", // ENOSPC
    "12, memory limit", // ENOMEM
    "38, does not have the call", // ENOSYS
  })
  void usualFailuresSayWhatToDo(int errno, String remedy) {
    assertThat(new SyscallException("call()", errno))
        .hasMessageStartingWith("call(): " + Errno.name(errno) + "; ")
        .hasMessageContaining(remedy);
  }
}
