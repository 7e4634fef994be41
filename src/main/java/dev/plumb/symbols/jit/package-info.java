/**
 * Names of code that a JIT compiler made, as it wrote them to a file for perf: perf maps ({@code
 * /tmp/perf-PID.map}) and jitdump ({@code jit-PID.dump}).
 *
 * <p>Start at {@link dev.plumb.symbols.jit.JitSymbols}. It has a {@code ProcessCode} a process, and
 * that a {@code PerfMap} and a {@code JitDump}. Both keep where code lies and where in the file its
 * name is; the name itself stays in the file, which is held open. {@code UntrustedFiles} says which
 * files of other people are opened at all.
 */
package dev.plumb.symbols.jit;
