/**
 * Readers of {@code /proc/PID}: mappings, status, namespaces, cgroups, stacks.
 *
 * <p>Start at {@link dev.plumb.linux.proc.ProcReader}, which opens the files. Everything read is
 * hostile: names of processes and paths can be anything.
 */
package dev.plumb.linux.proc;
