/**
 * Profiles that clients push, in any of Pyroscope's formats.
 *
 * <p>Start at {@link dev.plumb.server.pyroscope.ingest.ProfileIntake}: it checks a profile against
 * {@link dev.plumb.server.pyroscope.ingest.IngestLimits}, makes a recording from it and hands that
 * to the store. {@code IngestService} is {@code POST /ingest}; the readers of text formats collect
 * stacks in {@code NamedStacks}.
 */
package dev.plumb.server.pyroscope.ingest;
