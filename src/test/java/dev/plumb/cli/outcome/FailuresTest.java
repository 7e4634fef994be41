package dev.plumb.cli.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.collect.options.TargetException;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.testing.PlumbCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of failure has its exit code and its line. */
class FailuresTest {
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new TargetException("no process 5; look"), 1, "no process 5; look"),
        Arguments.of(new IOException("disk on fire"), 1, "disk on fire"),
        Arguments.of(new IllegalArgumentException("-F 0: more"), 2, "-F 0: more"),
        Arguments.of(new NotPossibleException("no; do this"), 3, "no; do this"),
        Arguments.of(new BpfException("the verifier says no"), 3, "the verifier says no"),
        Arguments.of(new SyscallException("bpf()", Errno.EPERM), 3, "bpf(): EPERM; run as root"),
        Arguments.of(new SyscallException("open()", Errno.EACCES), 3, "open(): EACCES"),
        Arguments.of(new SyscallException("mmap()", Errno.ENOMEM), 1, "mmap(): ENOMEM; free"),
        Arguments.of(
            CommandException.of("x", new SyscallException("s", Errno.ENOENT)), 127, "x: command"),
        Arguments.of(
            CommandException.of("x", new SyscallException("s", Errno.E2BIG)), 126, "E2BIG"),
        Arguments.of(new OutOfMemoryError("Java heap space"), 1, "out of memory; allow more"),
        Arguments.of(new NullPointerException(), 1, "NullPointerException; this is a bug in Plumb"),
        Arguments.of(new NumberFormatException("x"), 1, "this is a bug in Plumb; --verbose"),
        Arguments.of(new StackOverflowError(), 1, "StackOverflowError; this is a bug in Plumb"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void hasItsExitCodeAndOneLine(Throwable failure, int code, String text) {
    PrintStream old = System.err;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      assertThat(Failures.failed(failure, false)).isEqualTo(code);
    } finally {
      System.setErr(old);
    }
    PlumbCommand.assertOneLine(err.toString(StandardCharsets.UTF_8), text);
  }
}
