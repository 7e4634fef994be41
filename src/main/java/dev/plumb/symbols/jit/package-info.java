/**
 * Names of JIT-compiled code, from the files that compilers write for perf: perf maps ({@code
 * /tmp/perf-PID.map}) and jitdump ({@code jit-PID.dump}).
 *
 * <p>Start at {@link dev.plumb.symbols.jit.JitSymbols}. It has one {@code ProcessCode} per process,
 * which has a {@code PerfMap} and a {@code JitDump}. Both keep where code is in memory and where in
 * the file its name is; the name itself stays in the file, which stays open. {@code UntrustedFiles}
 * decides which files of other users may be opened. {@code collect} uses it.
 */
package dev.plumb.symbols.jit;
