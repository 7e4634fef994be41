/**
 * Stacks and samples as they were taken: addresses as places in files, rows with sums, no names.
 *
 * <p>Start at {@link dev.plumb.collect.raw.RawStacks} and {@link dev.plumb.collect.raw.RawProfile}.
 * Memory is bounded; what was not seen for long can be forgotten. For {@code dev.plumb.collect}
 * alone.
 */
package dev.plumb.collect.raw;
