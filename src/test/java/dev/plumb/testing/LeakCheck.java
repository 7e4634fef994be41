package dev.plumb.testing;

import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves descriptors or mappings open. Registered for all of them by {@code
 * META-INF/services}.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private record Counts(int descriptors, int mappings) {
    static Counts now() {
      return new Counts(Fd.openCount(), MappedMemory.openCount());
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    store(context).put(context.getUniqueId(), Counts.now());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Counts before = store(context).remove(context.getUniqueId(), Counts.class);
    Counts after = Counts.now();
    if (before != null
        && (after.descriptors() > before.descriptors() || after.mappings() > before.mappings())) {
      throw new AssertionError(
          context.getDisplayName()
              + " left open: descriptors "
              + (after.descriptors() - before.descriptors())
              + ", mappings "
              + (after.mappings() - before.mappings()));
    }
  }

  private static ExtensionContext.Store store(ExtensionContext context) {
    return context.getStore(ExtensionContext.Namespace.create(LeakCheck.class));
  }
}
