/**
 * Segments: immutable Parquet files of samples and of their sums, the tables that list them, and
 * rollups of several segments.
 *
 * <p>Start at {@link dev.plumb.store.segment.StoreSegment}; {@link
 * dev.plumb.store.segment.SegmentFolder} knows the files. For the rooms of {@code store} alone;
 * uses {@code database}.
 */
package dev.plumb.store.segment;
