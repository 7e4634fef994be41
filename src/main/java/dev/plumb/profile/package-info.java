/**
 * The model: what was measured, immutable and in columns, with nothing of how it was collected.
 *
 * <p>Start at {@link dev.plumb.profile.Recording}, one run of Plumb. It holds a {@link
 * dev.plumb.profile.Profile} a mode. A profile is a table of rows {stack, thread, labels → values};
 * its {@link dev.plumb.profile.Timeline} says when each row was seen. Stacks and frames stand once
 * in a {@link dev.plumb.profile.StackTable} that the profiles of a recording share.
 */
package dev.plumb.profile;
