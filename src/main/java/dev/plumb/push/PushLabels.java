package dev.plumb.push;

import dev.plumb.profile.Labels;
import dev.plumb.profile.ThreadInfo;
import java.util.Optional;

/** Which threads are pushed, and with which labels besides their own. */
@FunctionalInterface
public interface PushLabels {
  /** Empty if it is not pushed. */
  Optional<Labels> labels(ThreadInfo thread);

  /** All threads, with the same labels. */
  static PushLabels all(Labels labels) {
    return thread -> Optional.of(labels);
  }
}
