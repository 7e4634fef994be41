package dev.plumb.collect;

import dev.plumb.bpf.BpfException;
import dev.plumb.bpf.CollectionSpec;
import dev.plumb.bpf.btf.KernelTypes;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What nearly every recording begins with, made while its command line is still read: the kernel's
 * types, and the object of mode cpu by them. For the first that asks.
 */
final class ReadAhead {
  private static final String OBJECT = "cpu";
  private static final AtomicReference<ReadAhead> BEGUN = new AtomicReference<>();

  private final KernelTypes types = KernelTypes.running();
  private FutureTask<CollectionSpec> spec = new FutureTask<>(this::read);

  private ReadAhead() {}

  static void begin() {
    ReadAhead ahead = new ReadAhead();
    BEGUN.set(ahead);
    Thread.ofPlatform().daemon().name("read ahead").start(ahead.spec);
  }

  /** What was begun, once. */
  static Optional<ReadAhead> begun() {
    return Optional.ofNullable(BEGUN.getAndSet(null));
  }

  private CollectionSpec read() {
    types.kernel();
    CollectionSpec read = KernelSide.read(OBJECT);
    read.relocateAhead(types);
    return read;
  }

  KernelTypes types() {
    return types;
  }

  /**
   * Waits for it and gives it away; empty if it is another one, or failed: whoever reads it again
   * will be told.
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
