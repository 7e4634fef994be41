/**
 * C++ names. A name is parsed to a {@code Tree} ({@code EncodedNames}, {@code Types} and {@code
 * Expressions} over one {@code Parse}) and then written by {@code Printer}, because template
 * parameters are known only after the whole name was read.
 *
 * <p>Start at {@link dev.plumb.symbols.demangle.itanium.Itanium}. Only {@code
 * dev.plumb.symbols.demangle} may use it.
 */
package dev.plumb.symbols.demangle.itanium;
