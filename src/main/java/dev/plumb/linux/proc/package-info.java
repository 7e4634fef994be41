/**
 * Readers of {@code /proc/PID}: mappings, status, namespaces, cgroups, stacks.
 *
 * <p>Start at {@link dev.plumb.linux.proc.ProcReader}, which opens the files. Do not trust what is
 * read: names of processes and paths can be anything. {@code process}, {@code collect} and {@code
 * cli} use this room most; it uses {@code linux} only.
 */
package dev.plumb.linux.proc;
