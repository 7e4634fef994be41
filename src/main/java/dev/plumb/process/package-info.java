/**
 * Processes, and what was mapped where and when: known from fork, exec, mmap and exit events
 * instead of from the first sample, so that processes that live for a moment count too.
 *
 * <p>Start at {@link dev.plumb.process.Mapping} and {@link dev.plumb.process.BackingFile}, in which
 * names are looked up.
 */
package dev.plumb.process;
