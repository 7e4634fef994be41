/**
 * Mangled names → what the programmer wrote: C++ by the Itanium ABI, Rust in both its schemes.
 *
 * <p>Start at {@link dev.plumb.symbols.demangle.Demangler}; the schemes are in {@code itanium} and
 * {@code rust}, which nobody else uses. Besides {@code symbols}, {@code collect} uses it.
 *
 * <p>Files may be hostile, and so may the names in them: depth, steps and length are bounded, and
 * after any failure the name is shown as it is.
 */
package dev.plumb.symbols.demangle;
