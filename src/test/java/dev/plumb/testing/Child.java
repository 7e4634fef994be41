package dev.plumb.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** A process that a test started and that ends with it. */
public final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private Child(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  public static Child start(String... command) {
    try {
      return new Child(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int pid() {
    return (int) process.pid();
  }

  /** The next line that it writes; fails if it ends before. */
  public String line() {
    try {
      String line = output.readLine();
      if (line == null) {
        throw new AssertionError("the child ended with " + process.waitFor());
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Kills it and waits until it is gone. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        throw new AssertionError("child " + pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
