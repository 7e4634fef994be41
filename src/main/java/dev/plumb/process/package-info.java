/**
 * Which process this was and what was mapped where: known from fork, exec, mmap and exit events,
 * not from the first sample, so that processes that live for a moment count too.
 *
 * <p>Start at {@link dev.plumb.process.Mapping} and {@link dev.plumb.process.BackingFile}, which is
 * what names are looked up in.
 */
package dev.plumb.process;
