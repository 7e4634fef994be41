/**
 * From kernel events to a {@link dev.plumb.profile.Recording}.
 *
 * <p>Start at {@link dev.plumb.collect.Recorder}, which runs one recording, then at {@link
 * dev.plumb.collect.Collector}, the shape of a mode: one {@code .bpf.c} file and one class. While
 * recording, stacks are raw addresses ({@code RawStacks}) and samples add up in rows ({@code
 * RawProfile}); names are looked up when it is over ({@code Naming}).
 */
package dev.plumb.collect;
