/**
 * Mangled names → what the programmer wrote: C++ by the Itanium ABI, Rust in both its schemes.
 *
 * <p>Start at {@link dev.plumb.symbols.demangle.Demangler}. A C++ name is parsed to a {@code Tree}
 * ({@code Names}, {@code Types} and {@code Expressions} over one {@code Parse}) and then written by
 * {@code Printer}: template parameters are known only when the whole name was read. Rust names are
 * written while they are read.
 *
 * <p>Names come from hostile files: depth, steps and length are bounded, and any failure means that
 * the name is shown as it is.
 */
package dev.plumb.symbols.demangle;
