/**
 * From kernel events to a {@link dev.plumb.profile.Recording}.
 *
 * <p>Start at {@link dev.plumb.collect.Recorder}, which runs one recording, then at {@link
 * dev.plumb.collect.Collector}, the shape of a mode: one {@code .bpf.c} file and one class; {@link
 * dev.plumb.collect.Modes} lists them. A mode sends a record for each event, or has the kernel side
 * add events up ({@code Sums}). While recording, stacks are places in files ({@code RawStacks}) and
 * samples add up in rows ({@code RawProfile}); {@code Unwinding} gives the kernel side its tables.
 * Names are looked up beside it ({@code EarlyNames}) and when it is over, or cut ({@code Naming}).
 * What users name is found in {@code collect.probe}, the allocators of programs in {@code
 * collect.alloc}.
 */
package dev.plumb.collect;
