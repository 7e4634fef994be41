/**
 * Facts about the running kernel and the machine: symbols, version, tracepoints, CPUs, NUMA nodes,
 * pressure.
 *
 * <p>Start at {@link dev.plumb.linux.kernel.KernelFile}, {@link dev.plumb.linux.kernel.Kallsyms}
 * and {@link dev.plumb.linux.kernel.Tracefs}. It uses {@code linux} and {@code linux.proc} only.
 */
package dev.plumb.linux.kernel;
