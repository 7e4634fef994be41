/**
 * Rust names, written while they are read: {@link dev.plumb.symbols.demangle.rust.RustV0} and the
 * older {@link dev.plumb.symbols.demangle.rust.RustLegacy}. For {@code dev.plumb.symbols.demangle}
 * alone.
 */
package dev.plumb.symbols.demangle.rust;
