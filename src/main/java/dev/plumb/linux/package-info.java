/**
 * The border to the kernel: system calls by {@code java.lang.foreign}, file descriptors, mappings.
 * The only package with a {@link java.lang.foreign.Linker}.
 *
 * <p>Start at {@link dev.plumb.linux.SystemCalls}: one method per system call, its C prototype as
 * its comment. All of them go through the one downcall handle in {@code Syscall}, because linking a
 * handle costs milliseconds at start and a profiler that starts late misses things. Owners of
 * kernel objects ({@link dev.plumb.linux.Fd}, {@link dev.plumb.linux.MappedMemory}) are {@link
 * java.lang.AutoCloseable} and counted, so that a test can say that nothing leaked.
 *
 * <p>{@code linux.proc} reads {@code /proc} by process, {@code linux.kernel} what is one per
 * machine, {@code linux.perf} has perf events.
 */
package dev.plumb.linux;
