/**
 * Rust names, written while they are read: {@link dev.plumb.symbols.demangle.rust.RustV0} and the
 * older {@link dev.plumb.symbols.demangle.rust.RustLegacy}. Only {@code dev.plumb.symbols.demangle}
 * may use it.
 */
package dev.plumb.symbols.demangle.rust;
