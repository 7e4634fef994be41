package dev.plumb.bpf;

import org.junit.jupiter.api.Assumptions;

/** Tests that load programs need root; they say so when they are skipped. */
final class Root {
  private Root() {}

  static void isNeeded() {
    Assumptions.assumeTrue(dev.plumb.testing.Root.is(), "loading BPF programs needs root");
  }
}
