/**
 * Mangled names → what the programmer wrote: C++ by the Itanium ABI, Rust in both its schemes.
 *
 * <p>Start at {@link dev.plumb.symbols.demangle.Demangler}; the schemes are in {@code itanium} and
 * {@code rust}.
 *
 * <p>Names come from hostile files: depth, steps and length are bounded, and any failure means that
 * the name is shown as it is.
 */
package dev.plumb.symbols.demangle;
