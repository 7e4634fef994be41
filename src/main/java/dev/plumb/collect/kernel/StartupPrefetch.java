package dev.plumb.collect.kernel;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Prepares what nearly every recording begins with while the command line is still being parsed:
 * the kernel's types, and the object of mode cpu, relocated to them. Only the first caller gets it.
 */
public final class StartupPrefetch {
  private static final String OBJECT = "cpu";
  private static final AtomicReference<StartupPrefetch> BEGUN = new AtomicReference<>();

  private final KernelTypes types = KernelTypes.running();
  private FutureTask<CollectionSpec> spec = new FutureTask<>(this::read);

  private StartupPrefetch() {}

  public static void begin() {
    StartupPrefetch ahead = new StartupPrefetch();
    BEGUN.set(ahead);
    Thread.ofPlatform().daemon().name("read ahead").start(ahead.spec);
  }

  /** What was begun; given away once. */
  static Optional<StartupPrefetch> begun() {
    return Optional.ofNullable(BEGUN.getAndSet(null));
  }

  private CollectionSpec read() {
    types.kernel();
    CollectionSpec read = KernelPrograms.read(OBJECT);
    read.relocateAhead(types);
    return read;
  }

  KernelTypes types() {
    return types;
  }

  /**
   * Waits for the object and gives it away; empty if another object is wanted, or if reading
   * failed: then reading it again will report the reason.
   */
  Optional<CollectionSpec> take(String object) {
    if (spec == null || !object.equals(OBJECT)) {
      return Optional.empty();
    }
    try {
      return Optional.of(spec.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof BpfException) {
        return Optional.empty();
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      spec = null;
    }
  }
}
