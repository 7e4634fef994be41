package dev.plumb.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves a descriptor or a mapping open. */
final class NoLeaks implements BeforeEachCallback, AfterEachCallback {
  private int descriptors;
  private int mappings;

  @Override
  public void beforeEach(ExtensionContext context) {
    descriptors = Fd.openCount();
    mappings = MappedMemory.openCount();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(Fd.openCount()).as("open descriptors").isEqualTo(descriptors);
    assertThat(MappedMemory.openCount()).as("open mappings").isEqualTo(mappings);
  }
}
