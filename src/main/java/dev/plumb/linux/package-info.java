/**
 * The border to the kernel: system calls through {@code java.lang.foreign}, file descriptors,
 * mappings. The only package that has a {@link java.lang.foreign.Linker}; {@code bpf}, {@code
 * process} and what builds on them use it.
 *
 * <p>Start at {@link dev.plumb.linux.SystemCalls}: one method per system call, with its C prototype
 * as the comment. {@link dev.plumb.linux.ProcessCalls}, {@link dev.plumb.linux.SchedulingCalls} and
 * {@link dev.plumb.linux.NamespaceCalls} are built the same way. All of them go through the one
 * downcall handle in {@code Syscall}, because linking a handle takes milliseconds at start, and a
 * profiler that starts late misses events. Owners of kernel objects ({@link dev.plumb.linux.Fd},
 * {@link dev.plumb.linux.MappedMemory}) are {@link java.lang.AutoCloseable} and counted, so that a
 * test can show that nothing leaked.
 *
 * <p>{@code linux.proc} reads what {@code /proc} says about a process, {@code linux.kernel} what
 * there is once per machine; {@code linux.perf} opens perf events.
 */
package dev.plumb.linux;
