/**
 * The model: what was measured, immutable and columnar, independent of how it was collected.
 *
 * <p>Start at {@link dev.plumb.profile.Recording}, one run of Plumb. It holds one {@link
 * dev.plumb.profile.Profile} per mode. A profile is a table of rows {stack, thread, labels →
 * values}; its {@link dev.plumb.profile.Timeline} says when each row was seen. The profiles of a
 * recording share a {@link dev.plumb.profile.StackTable}, which holds each stack and frame once.
 * Any package may use this one; it uses none.
 */
package dev.plumb.profile;
