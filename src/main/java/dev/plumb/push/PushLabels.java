package dev.plumb.push;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import java.util.Optional;

/** Decides which threads are pushed, and which labels they get besides their own. */
@FunctionalInterface
public interface PushLabels {
  /** Empty if the thread is not pushed. */
  Optional<Labels> labels(ThreadInfo thread);

  /** All threads, with the same labels. */
  static PushLabels all(Labels labels) {
    return thread -> Optional.of(labels);
  }
}
