/**
 * What to record: modes, target, stacks, limits of waits, filters of probes.
 *
 * <p>Start at {@link dev.plumb.collect.options.RecordOptions}. {@link
 * dev.plumb.collect.options.Targets} finds the processes that an option names.
 */
package dev.plumb.collect.options;
