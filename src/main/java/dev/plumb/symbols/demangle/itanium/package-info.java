/**
 * C++ names. A name is parsed to a {@code Tree} ({@code EncodedNames}, {@code Types} and {@code
 * Expressions} over one {@code Parse}) and then written by {@code Printer}: template parameters are
 * known only when the whole name was read.
 *
 * <p>Start at {@link dev.plumb.symbols.demangle.itanium.Itanium}. For {@code
 * dev.plumb.symbols.demangle} alone.
 */
package dev.plumb.symbols.demangle.itanium;
