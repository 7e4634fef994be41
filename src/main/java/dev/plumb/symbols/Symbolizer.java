package dev.plumb.symbols;

import dev.plumb.process.Mapping;
import dev.plumb.profile.Frame;
import java.util.List;

/** Names addresses. Not for use by several threads at once. */
public final class Symbolizer implements AutoCloseable {
  /** The frame of a kernel address; unnamed if kallsyms does not tell. */
  public Frame kernel(long kernelAddress) {
    throw new UnsupportedOperationException();
  }

  /**
   * The frames at an address of a process, leaf first: what was inlined there, then the function
   * itself. Never empty: without a name it is {@code [unknown in libfoo.so+0x1234]}.
   *
   * @param returnAddress whether it was found on the stack, so that the call is just before it
   */
  public List<Frame> user(Mapping mapping, long processAddress, boolean returnAddress) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
