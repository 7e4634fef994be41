package dev.plumb.push;

import dev.plumb.profile.Recording;
import java.util.List;

/** How a recording is told to a receiver. */
interface RequestEncoder {
  /** Requests within the receiver's limits; none if nothing was measured. */
  List<PushBatch> batches(Recording recording, PushLabels labelling);
}
