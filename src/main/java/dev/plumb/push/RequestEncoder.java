package dev.plumb.push;

import dev.plumb.profile.Recording;
import java.util.List;

/** Makes the requests of a receiver's API from a recording. */
interface RequestEncoder {
  /** Requests within the receiver's limits; none if the recording is empty. */
  List<PushBatch> batches(Recording recording, PushLabels labelling);
}
